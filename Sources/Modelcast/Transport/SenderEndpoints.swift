import ZeroMQ

/// The two endpoints of a sender. Replicas connect to `control`, which tells them `stream`.
public struct SenderEndpoints: Hashable, Sendable {
    /// The endpoint for requests. Subscribers and relays are configured with this one.
    public var control: String
    /// The endpoint of the stream, which carries the batches.
    public var stream: String

    /// Makes the endpoints to bind.
    /// - Parameters:
    ///   - control: `tcp://host:port`, `tcp://host:*` for any free port, `ipc://path`, or `memory://name`.
    ///   - stream: by default the next port, any free port where `control` has `*`, or the path or name with `-stream`
    ///     behind it.
    /// - Throws: ``ModelcastError`` with code `endpoint`.
    public init(control: String, stream: String? = nil) throws(ModelcastError) {
        if InMemoryBus.isEndpoint(control) {
            self = try SenderEndpoints(onBus: control, stream: stream)
            return
        }
        let boundControl = try SenderEndpoints.bindable(control)
        let endpoint = try SenderEndpoints.parse(boundControl)
        self.control = boundControl
        if let stream {
            let boundStream = try SenderEndpoints.bindable(stream)
            guard try SenderEndpoints.parse(boundStream) != endpoint || endpoint.isWildcard else {
                throw ModelcastError(.endpoint, "\(control) cannot serve questions and the stream: name another stream")
            }
            self.stream = boundStream
            return
        }
        switch endpoint {
        case .tcp(let host, let port?):
            guard port < UInt16.max else {
                throw ModelcastError(.endpoint, "\(control) leaves no next port for the stream; name a stream endpoint")
            }
            self.stream = Endpoint.tcp(host: host, port: port + 1).description
        case .tcp(let host, nil): self.stream = Endpoint.tcp(host: host, port: nil).description
        case .ipc(let path): self.stream = path == "*" ? "ipc://*" : "ipc://\(path)-stream"
        case .inproc:
            throw ModelcastError(.endpoint, "\(control) is inside one process; use tcp:// or ipc://")
        }
    }

    private init(onBus control: String, stream: String?) throws(ModelcastError) {
        try InMemoryBus.requireEndpoint(control)
        self.control = control
        self.stream = stream ?? (control == InMemoryBus.wildcard ? control : control + "-stream")
        try InMemoryBus.requireEndpoint(self.stream)
        guard self.stream != control || control == InMemoryBus.wildcard else {
            throw ModelcastError(.endpoint, "\(control) cannot serve questions and the stream: name another stream")
        }
    }

    /// The endpoints that were bound. An empty stream means that there is none.
    init(controlAt control: String, streamAt stream: String) {
        self.control = control
        self.stream = stream
    }

    static func parse(_ text: String) throws(ModelcastError) -> Endpoint {
        do {
            return try Endpoint(text)
        } catch {
            throw ModelcastError(.endpoint, error.description)
        }
    }

    /// The endpoint as a socket binds it, which knows the name `localhost` in small letters only.
    private static func bindable(_ text: String) throws(ModelcastError) -> String {
        guard case .tcp(let host, let port) = try parse(text), host.lowercased() == "localhost" else { return text }
        return Endpoint.tcp(host: "localhost", port: port).description
    }

    /// Refuses a text that is not an endpoint to connect to.
    static func requireConnectable(_ text: String) throws(ModelcastError) {
        let endpoint = try parse(text)
        guard !endpoint.isWildcard else {
            throw ModelcastError(.endpoint, "\(text) is for binding; connect to a host and port")
        }
        if case .inproc = endpoint {
            throw ModelcastError(.endpoint, "\(text) is inside one context of libzmq; use tcp:// or ipc://")
        }
    }

    /// The first of the two endpoints that other machines can reach; nil where they can reach neither.
    package var reachedByOthers: String? { [control, stream].first { SenderEndpoints.isReachedByOthers($0) } }

    /// Refuses endpoints that other machines can reach. For a process without keys.
    func requireLocal() throws(ModelcastError) {
        try SenderEndpoints.requireLocal(control)
        try SenderEndpoints.requireLocal(stream)
    }

    static func requireLocal(_ text: String) throws(ModelcastError) {
        guard isReachedByOthers(text) else { return }
        throw ModelcastError(
            .endpoint,
            "\(text) can be reached from other machines and nothing protects it; bind 127.0.0.1 or ipc, give it keys "
                + "(security), or set allowsRemote where the network is trusted")
    }

    private static func isReachedByOthers(_ text: String) -> Bool {
        guard case .tcp(let host, _)? = try? parse(text) else { return false }
        return !Loopback.contains(host)
    }

    /// The stream endpoint that a sender told, with a wildcard host replaced by the host of the control connection.
    static func resolve(stream: String, control: String) -> String {
        guard let told = try? Endpoint(stream), case .tcp(let host, let port) = told,
            host == "*" || host == "0.0.0.0" || host == "[::]",
            case .tcp(let controlHost, _)? = try? Endpoint(control)
        else { return stream }
        return Endpoint.tcp(host: controlHost, port: port).description
    }
}

/// The hosts that nobody but this machine can reach: the interface `lo`, the name `localhost`, and the addresses of
/// loopback in each form that the system takes.
private enum Loopback {
    static func contains(_ host: String) -> Bool {
        if host == "lo" || host.lowercased() == "localhost" { return true }
        guard host.hasPrefix("["), host.hasSuffix("]") else { return isFour(host) }
        guard let words = words(of: host.dropFirst().dropLast()) else { return false }
        return words == one || (words.starts(with: mapped) && words[mapped.count] >> 8 == 127)
    }

    /// The address ::1.
    private static let one: [UInt16] = [0, 0, 0, 0, 0, 0, 0, 1]
    /// The first words of an IPv4 address that is written as an IPv6 address, ::ffff:127.0.0.1 for instance.
    private static let mapped: [UInt16] = [0, 0, 0, 0, 0, 0xFFFF]

    /// The host is an address of 127.0.0.0/8. The system takes short forms, too: 127.1 is 127.0.0.1.
    private static func isFour(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return (2...4).contains(parts.count) && parts[0] == "127" && parts.allSatisfy(isNumber)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The eight words of an IPv6 address, as `inet_pton` reads them; nil for a text that is none.
    private static func words(of address: Substring) -> [UInt16]? {
        // Two colons stand for as many zeros as are missing, and stand there once.
        let halves = address.split(separator: "::", omittingEmptySubsequences: false)
        guard let first = halves.first, halves.count <= 2, let head = groups(of: first, isEnd: halves.count == 1),
            let tail = halves.count == 2 ? groups(of: halves[1], isEnd: true) : []
        else { return nil }
        let missing = 8 - head.count - tail.count
        guard halves.count == 2 ? missing > 0 : missing == 0 else { return nil }
        return head + [UInt16](repeating: 0, count: missing) + tail
    }

    /// The words between single colons.
    /// - Parameter isEnd: the address ends here, so the last group may be an IPv4 address, which is two words.
    private static func groups(of text: Substring, isEnd: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var words: [UInt16] = []
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            if isEnd, index == groups.count - 1, group.utf8.contains(UInt8(ascii: ".")) {
                let parts = group.split(separator: ".", omittingEmptySubsequences: false)
                let octets = parts.compactMap { isNumber($0) ? UInt8($0) : nil }
                guard parts.count == 4, octets.count == 4 else { return nil }
                words += [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
            } else {
                let hasDigitsOnly = group.utf8.count <= 4 && group.allSatisfy(\.isHexDigit)
                guard hasDigitsOnly, let word = UInt16(group, radix: 16) else { return nil }
                words.append(word)
            }
        }
        return words
    }
}
