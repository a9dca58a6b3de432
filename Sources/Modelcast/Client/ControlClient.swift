public import ModelRecord
import ModelSync
public import ModelWire

/// Asks one sender (a publisher or a relay) single questions over its control connection, without replicating anything:
/// its heads, single records, digests.
///
/// Each call opens a connection, says hello, asks and closes, on a thread of its own. Unfit for frequent reads; a
/// ``Subscriber`` is for those. Calls throw ``ModelcastError``, with code `timeout` where no answer comes in time, and
/// `CancellationError` when the task is cancelled.
public struct ControlClient: Sendable {
    /// The sender's control endpoint.
    public let endpoint: String
    /// How long to wait for one answer.
    public let timeout: Duration
    /// The keys of both sides; nil for a sender without keys.
    public let security: Security?
    /// How the questions travel.
    public let transport: Transport

    /// - Throws: ``ModelcastError`` for a text that is not an endpoint to connect to, or where `security` has no key
    ///   for it.
    public init(
        endpoint: String, timeout: Duration = .seconds(5), security: Security? = nil, transport: Transport = .zeroMQ
    ) throws(ModelcastError) {
        try transport.requireConnectable([endpoint], security)
        try security?.requireServer(at: endpoint)
        self.security = security
        self.transport = transport
        self.endpoint = endpoint
        self.timeout = timeout
    }

    /// A sender's answer to hello: its name, its endpoints and its heads.
    public struct Welcome: Sendable {
        /// The name of the sender.
        public let name: String
        /// The endpoint of the sender's stream, as a subscriber connects to it.
        public let streamEndpoint: String
        /// The heads of each origin whose batches the sender sends.
        public let heads: [Heads]
        /// The types that the sender says it holds models of. After a restart some of them may be in no head.
        public let heldTypes: [String]
        /// The sender has told all types of which it holds models. Those of very many do not fit into the greeting.
        let namesAllTypes: Bool

        /// The types of which anything has been sent, or which the sender holds, by name.
        public var types: [String] {
            Set(heads.flatMap { $0.heads.compactMap(\.topic.type) }).union(heldTypes).sorted()
        }
    }

    /// The digests of a type, with the heads at which they were taken.
    public struct Digests: Sendable {
        /// The sender's heads when it took the digests.
        public let heads: [Heads]
        /// One digest for each range of buckets, in order.
        public let digests: [UInt64]

        /// The digest of the whole type.
        public var total: UInt64 { digests.reduce(0, &+) }
    }

    /// Asks the sender for its name, endpoints and heads.
    public func welcome() async throws -> Welcome {
        try await connected { connection in try connection.hello() }
    }

    /// Asks for any number of single records. The answer does not contain ids that the sender has never heard of;
    /// deleted models are in it as tombstones.
    public func fetch(_ type: String, _ ids: [String]) async throws -> [CellRecord] {
        try await lookUp(type, ids).records
    }

    /// The single models that a process has.
    public struct LookUp: Sendable {
        /// The records that it holds; deleted models are in them as tombstones.
        public internal(set) var records: [CellRecord] = []
        /// The ids of those that have left its copy for its limits, so that it does not know whether they exist.
        public internal(set) var evicted: [String] = []
    }

    /// Asks for any number of single records, as ``fetch(_:_:)`` does, also of a subscriber with limits.
    /// - Parameters:
    ///   - type: the type of the models.
    ///   - ids: their ids.
    ///   - bringsBack: such a subscriber is to bring back what has left its copy, within nine tenths of ``timeout``.
    ///     What it could not bring back by then is told as ``LookUp/evicted``.
    public func lookUp(_ type: String, _ ids: [String], bringsBack: Bool = false) async throws -> LookUp {
        try await connected { connection in
            _ = try connection.hello()
            return try connection.lookUp(type, ids, bringsBack: bringsBack)
        }
    }

    /// Asks for the digest of each type that the sender has. Each type may have other heads.
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
