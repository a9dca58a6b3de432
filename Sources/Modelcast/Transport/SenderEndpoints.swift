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
        let endpoint = try SenderEndpoints.parse(control)
        self.control = control
        if let stream {
            guard try SenderEndpoints.parse(stream) != endpoint || endpoint.isWildcard else {
                throw ModelcastError(.endpoint, "\(control) cannot serve questions and the stream: name another stream")
            }
            self.stream = stream
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
        return !(host == "localhost" || host.hasPrefix("127.") || host == "[::1]" || host == "::1" || host == "lo")
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
