/// An endpoint whose text has been checked, for options and configuration: a mistake is reported before a socket
/// exists.
///
///     let endpoint = try Endpoint("tcp://db1.example:7000")
///     try socket.connect(endpoint.description)
///
/// The transports of Modelcast: `tcp://host:port` (IPv6 in brackets), `ipc:///path` and, inside one process,
/// `inproc://name`. A `*` as host, port or path is for binding only.
public enum Endpoint: Hashable, Sendable {
    /// `host` is a name, an address, an interface, or `*`; a nil port is `*`.
    case tcp(host: String, port: UInt16?)
    /// `*` lets the system choose a path.
    /// A name within one context.
    case ipc(path: String)
    case inproc(name: String)

    /// Why a text is not an endpoint.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        /// The reason in words for a person.
        public let description: String
    }

    /// The room for a path in a socket address of Linux, without the NUL at its end.
    static let pathByteCountMax = 107

    /// Reads the text of an endpoint.
    public init(_ text: String) throws(Invalid) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw Invalid(description: "\"\(text)\" has no transport: write tcp://host:port or ipc:///path")
        }
        let rest = String(parts[1])
        guard !rest.isEmpty, !rest.utf8.contains(0) else {
            throw Invalid(description: "\"\(text)\" has no address after ://")
        }
        switch parts[0] {
        case "tcp":
            self = try Self.tcp(rest, of: text)
        case "ipc":
            guard rest.utf8.count <= Self.pathByteCountMax else {
                throw Invalid(description: "the path of \"\(text)\" has more than \(Self.pathByteCountMax) bytes")
            }
            self = .ipc(path: rest)
        case "inproc":
            self = .inproc(name: rest)
        case let other:
            throw Invalid(description: "\"\(other)\" in \"\(text)\" is no known transport: use tcp, ipc or inproc")
        }
    }

    private static func tcp(_ rest: String, of text: String) throws(Invalid) -> Endpoint {
        guard let colon = rest.lastIndex(of: ":"), colon > rest.startIndex, !rest.hasSuffix("]") else {
            throw Invalid(description: "\"\(text)\" has no port: write tcp://host:port")
        }
        let host = String(rest[..<colon])
        let portText = rest[rest.index(after: colon)...]
        if host.contains(":"), !(host.hasPrefix("[") && host.hasSuffix("]")) {
            throw Invalid(description: "put the IPv6 address of \"\(text)\" in brackets: tcp://[::1]:7000")
        }
        if portText == "*" { return .tcp(host: host, port: nil) }
        guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(portText), port > 0 else {
            throw Invalid(description: "\"\(portText)\" in \"\(text)\" is no port: 1 to 65535, or * when binding")
        }
        return .tcp(host: host, port: port)
    }

    /// Whether a part is left to the system, or every interface is meant, so that it is an endpoint for binding and not
    /// for connecting.
    public var isWildcard: Bool {
        switch self {
        case .tcp(let host, let port): host == "*" || port == nil
        case .ipc(let path): path == "*"
        case .inproc: false
        }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The text that libzmq takes.
    public var description: String {
        switch self {
        case .tcp(let host, let port): "tcp://\(host):\(port.map { String($0) } ?? "*")"
        case .ipc(let path): "ipc://\(path)"
        case .inproc(let name): "inproc://\(name)"
        }
    }
}
