public import ModelRecord
import ModelSync
public import ModelWire

/// Asks one sender (a publisher or a relay) single questions over its control connection, without replicating
/// anything: its heads, single records, digests.
///
/// Each call opens a connection, says hello, asks and closes. Unfit for frequent reads: that is what a
/// ``Subscriber`` is for.
public struct ControlClient: Sendable {
    /// The sender's control endpoint.
    public let endpoint: String
    /// How long one answer may take.
    public let timeout: Duration
    /// The keys of both sides; nil for a sender without.
    public let security: Security?

    /// - Throws: ``ModelcastError`` for an endpoint that is not one, or whose key is not in `security`.
    public init(
        endpoint: String, timeout: Duration = .seconds(5), security: Security? = nil
    ) throws(ModelcastError) {
        try SenderEndpoints.requireConnectable(endpoint)
        try security?.requireServer(at: endpoint)
        self.security = security
        self.endpoint = endpoint
        self.timeout = timeout
    }

    /// Who the sender is and what it has sent.
    public struct Welcome: Sendable {
        public let name: String
        public let streamEndpoint: String
        /// One per origin that the sender speaks for.
        public let heads: [Heads]
        /// The types of which it holds models, as far as it tells them: after a restart some may be in no head.
        public let heldTypes: [String]

        /// The types of which anything has been sent, or is held.
        public var types: [String] {
            Set(heads.flatMap { $0.heads.compactMap(\.topic.type) }).union(heldTypes).sorted()
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

    /// Asks for any number of single records; ids that the sender has never heard of are missing in the answer, deleted
    /// ones are there as tombstones.
    public func fetch(_ type: String, _ ids: [String]) async throws -> [CellRecord] {
        try await connected { connection in
            _ = try connection.hello()
            return try connection.fetch(type, ids)
        }
    }

    /// Asks for the digest of each type that the sender has.
    public func digests() async throws -> [(type: String, digests: Digests)] {
        try await connected { connection in
            let welcome = try connection.hello()
            var result: [(type: String, digests: Digests)] = []
            for type in welcome.types { result.append((type, try connection.digests(of: type, bits: 0))) }
            return result
        }
    }

    /// Runs `body` with an open connection on a thread of its own.
    private func connected<R: Sendable>(
        _ body: @escaping @Sendable (inout ControlConnection) throws -> R
    ) async throws -> R {
        let client = self
        return try await SocketThread.run(named: "modelcast-ask") { cancellation in
            var connection = try ControlConnection(client: client, cancellation)
            return try body(&connection)
        }
    }
}
