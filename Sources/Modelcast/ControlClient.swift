public import ModelRecord
import ModelSync
public import ModelWire
import ZeroMQ

/// Asks one sender (a publisher, later a relay) single questions over its control connection, without replicating
/// anything: its heads, single records, digests.
///
/// Each call opens a connection, says hello, asks and closes. Unfit for frequent reads: that is what a
/// ``Subscriber`` is for.
public struct ControlClient: Sendable {
    /// The sender's control endpoint.
    public let endpoint: String
    /// How long one answer may take.
    public let timeout: Duration

    /// - Throws: ``ModelcastError`` for an endpoint that is not one.
    public init(endpoint: String, timeout: Duration = .seconds(5)) throws(ModelcastError) {
        guard !(try SenderEndpoints.parse(endpoint)).isWildcard else {
            throw ModelcastError(.endpoint, "\(endpoint) is for binding; connect to a host and port")
        }
        self.endpoint = endpoint
        self.timeout = timeout
    }

    /// Who the sender is and what it has sent.
    public struct Welcome: Sendable {
        public let name: String
        public let streamEndpoint: String
        /// One per origin that the sender speaks for.
        public let heads: [Heads]

        /// The types of which anything has been sent.
        public var types: [String] {
            Set(heads.flatMap { $0.heads.compactMap(\.topic.type) }).sorted()
        }
    }

    /// Digests of a type at known heads.
    public struct Digests: Sendable {
        /// What the sender had sent when it took the digests.
        public let heads: [Heads]
        /// One per range of buckets, in order.
        public let digests: [UInt64]

        /// The digest of the whole type.
        public var total: UInt64 { digests.reduce(0, &+) }
    }

    /// Asks who is there.
    public func welcome() async throws -> Welcome {
        try await connected { connection in try connection.hello() }
    }

    /// Asks for single records; ids that the sender has never heard of are missing in the answer, deleted ones are
    /// there as tombstones.
    public func fetch(_ type: String, _ ids: [String]) async throws -> [Record] {
        try await connected { connection in
            _ = try connection.hello()
            var records: [Record] = []
            try connection.ask(.fetch(rid: 2, type: type, ids: ids)) { reply in
                switch reply {
                case .records(_, _, let chunk):
                    records += chunk
                    return false
                case .complete: return true
                default: return false
                }
            }
            return records
        }
    }

    /// Asks for the digest of each type that the sender has.
    public func digests() async throws -> [(type: String, digests: Digests)] {
        try await connected { connection in
            let welcome = try connection.hello()
            var result: [(type: String, digests: Digests)] = []
            for (index, type) in welcome.types.enumerated() {
                try connection.ask(.digest(rid: UInt64(index + 2), type: type, bits: 0)) { reply in
                    guard case .digests(_, let heads, let digests) = reply else { return false }
                    result.append((type, Digests(heads: heads, digests: digests)))
                    return true
                }
            }
            return result
        }
    }

    private func connected<R: Sendable>(
        _ body: @escaping @Sendable (inout ControlConnection) throws -> R
    ) async throws -> R {
        let client = self
        return try await SocketThread.run(named: "modelcast-ask") {
            var connection = try ControlConnection(client: client)
            return try body(&connection)
        }
    }
}

/// One connection of a ``ControlClient``, on a thread of its own.
struct ControlConnection: ~Copyable {
    private let client: ControlClient
    private let socket: Socket
    private var poller: Poller
    private var message = Message()

    init(client: ControlClient) throws {
        let socket = try Socket(.dealer, in: Context())
        try socket.applyDefaults(frameLimit: WireLimits.ceiling.frameByteCount, memoryLimit: 256 << 20)
        try socket.connect(client.endpoint)
        var poller = try Poller()
        _ = try poller.add(socket)
        self.client = client
        self.socket = socket
        self.poller = poller
    }

    mutating func hello() throws -> ControlClient.Welcome {
        var welcome: ControlClient.Welcome?
        var version: UInt64 = 1
        let control = client.endpoint
        try ask(.hello(rid: 1, version: 1, name: "modelcast-ask", prefixes: [])) { reply in
            guard case .welcome(_, let spoken, let name, let endpoint, _, _, let heads) = reply else { return false }
            version = spoken
            welcome = ControlClient.Welcome(
                name: name,
                streamEndpoint: SenderEndpoints.resolve(stream: endpoint, control: control), heads: heads)
            return true
        }
        guard version == 1 else {
            throw ModelcastError(
                .version, "\(control) speaks protocol version \(version), this program speaks 1; update the older side")
        }
        guard let welcome else { throw ModelcastError(.timeout, "no welcome from \(control)") }
        return welcome
    }

    /// Sends a request and hands replies to `body` until it returns true.
    mutating func ask(_ request: ControlRequest, _ body: (ControlReply) -> Bool) throws {
        _ = try socket.send(Message(request.encode()))
        let deadline = Clocks.now().uptimeMicroseconds + client.timeout.wholeMicroseconds
        while true {
            while try socket.receive(into: &message) {
                let frame = message.array
                let reply: ControlReply
                do {
                    reply = try ControlReply(decoding: frame.span, limits: .ceiling)
                } catch {
                    throw ModelcastError(
                        .messaging, "\(client.endpoint) does not speak the Modelcast protocol: \(error)")
                }
                if case .error(_, let code, let text) = reply {
                    let kind: ModelcastError.Code = code == .version ? .version : .messaging
                    throw ModelcastError(kind, "\(client.endpoint) refused: \(text)")
                }
                if body(reply) { return }
            }
            let now = Clocks.now().uptimeMicroseconds
            guard now < deadline else {
                throw ModelcastError(
                    .timeout,
                    "no answer from \(client.endpoint) within \(client.timeout); is a publisher running there, and is "
                        + "this its control endpoint (not the stream)?")
            }
            _ = try poller.wait(timeout: .microseconds(deadline - now))
        }
    }
}
