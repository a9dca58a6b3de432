import ModelCache
import ModelGrants
import ModelRecord
import ModelWire
import ZeroMQ

@testable import ModelSync
@testable import Modelcast

/// A publisher, a relay and the keys of some clients: random, but decided by a seed. The names of types and origins
/// begin with one another, so that a prefix in the place of a name shows.
struct RightsWorld: Sendable {
    let seed: UInt64
    let server: Curve.KeyPair
    let grants: [WrittenGrant]
    /// The types that the publisher writes.
    let published: Set<String>
    /// The number of topics of each of these types.
    var partitions: Partitions { seed.isMultiple(of: 2) ? .sixteen : .one }
    /// The types that each origin has pushed to the relay.
    let pushed: [String: Set<String>]
    /// Decides what is asked.
    private(set) var generator: SeededGenerator

    static let publisherName = "accounts"
    static let relayName = "relay"
    /// Nothing is ever written of the last two.
    static let types = ["A", "A.B", "A.B.C", "AB", "B", "BA", "a", "A.None", "None"]
    /// The last one never pushes.
    static let origins = ["o", "o-1", "o-10", "o1", "job", "job.2", "ghost"]

    init(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (types, origins) = (Self.types.dropLast(2), Self.origins.dropLast())
        func some(_ names: ArraySlice<String>, of ten: Int) -> Set<String> {
            Set(names.filter { _ in Int.random(in: 0..<10, using: &generator) < ten })
        }
        published = some(types, of: 8)
        var pushed: [String: Set<String>] = [:]
        for origin in origins { pushed[origin] = some(types, of: 3) }
        self.pushed = pushed.filter { !$0.value.isEmpty }
        var grants = try Self.usual()
        for number in 0..<Int.random(in: 6...12, using: &generator) {
            grants.append(
                try .random("p-\(number)", types: Self.types, origins: Self.origins, using: &generator))
        }
        self.grants = grants
        server = try Curve.KeyPair()
        (self.seed, self.generator) = (seed, generator)
    }

    /// Keys that every deployment has. The first one may do everything that a job may, the second may read one type
    /// with whose name others begin.
    private static func usual() throws -> [WrittenGrant] {
        func grant(_ name: String, _ change: (inout WrittenGrant) -> Void) throws -> WrittenGrant {
            var grant = WrittenGrant(name: name, keys: try Curve.KeyPair())
            change(&grant)
            return grant
        }
        return [
            try grant("setup") { ($0.published, $0.origins) = (["*"], ["*"]) },
            try grant("reader") { $0.subscribed = ["A"] },
            try grant("everything") { $0.subscribed = ["*"] },
            try grant("ops") { $0.isOperator = true },
            try grant("relay-a") { ($0.subscribed, $0.isRelay) = (["*"], true) },
            try grant("hands-on") { $0.isRelay = true },
            try grant("idle") { _ in },
        ]
    }

    var access: Access {
        get throws { Access(try Grants(parsing: grants.map(\.text).joined(separator: "\n"), file: "seed \(seed)")) }
    }

    static let firstID = "1"

    /// A text in each model by which bytes of its type are known wherever they turn up.
    static func mark(_ type: String) -> String { "<<\(type)>>" }

    static func fields(_ type: String, _ number: Int64 = 1) -> Fields {
        ["text": .text(mark(type)), "n": .int(number)]
    }
}

/// A sender as the keys ask it: where it is, and what it holds by the world's account.
struct AskedSender {
    let name: String
    let control: String
    let cache: ModelCache
    /// The types of each origin that it tells.
    var types: [String: Set<String>]
    /// The ids of each type, deleted ones included.
    var ids: [String: Set<String>]
    /// The start of each origin that has written.
    var starts: [String: UInt64]
    var partitions = Partitions.one

    /// Models of the type are here.
    func holds(_ type: String) -> Bool { types.values.contains { $0.contains(type) } }

    /// The topic of a type's first batch.
    func firstTopic(of type: String) -> Topic {
        let bucket = Fingerprint.bucket(idHash: Fingerprint.fnv(RightsWorld.firstID))
        return .data(type: type, partitions: partitions, bucket: bucket)
    }

    /// The key may know that the origin is here.
    func shows(_ origin: String, to grant: WrittenGrant) -> Bool {
        origin == name || (types[origin] ?? []).contains(where: grant.reads)
    }
}

/// Batches of any origin, each later than the one before.
struct BatchMaker {
    private var last: UInt64

    init() { last = Clocks.now().wallMilliseconds << 16 }

    /// A number above all that were drawn: a start, or a stamp.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// A batch with one update.
    /// - Parameter stamp: nil for a new one; the parts of a transaction share it.
    mutating func batch(
        _ type: String, _ id: String, of origin: String, start: UInt64, sequence: UInt64 = 1, stamp: UInt64? = nil,
        group: [String]? = nil
    ) throws -> [UInt8] {
        var writer = BatchWriter()
        try writer.append(.merge, stamp: stamp ?? next(), id: id, fields: RightsWorld.fields(type))
        return writer.finish(
            origin: origin, incarnation: start, sequence: sequence, group: group?.map { Topic.data(type: $0) })
    }
}
