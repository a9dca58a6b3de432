@_spi(RecordWriting) import ModelRecord
import ModelWire
import TestSupport

/// A batch as a test thinks of it.
struct BatchSample: Equatable {
    struct Update: Equatable {
        var operation: UpdateOperation
        var stamp: Stamp
        var id: String
        var fields: EncodedFields
    }

    var origin: String
    var incarnation: UInt64
    var sequence: UInt64
    var stamp: Stamp
    var updates: [Update]
    /// Empty for a batch that stands alone.
    var group: [Topic]

    func encode() -> [UInt8] {
        var writer = BatchWriter()
        writer.begin(stamp: stamp)
        for update in updates {
            writer.append(
                update.operation, stamp: update.stamp, id: update.id.utf8.span, fields: update.fields.bytes.span,
                fieldCount: update.fields.count)
        }
        return writer.finish(
            origin: origin, incarnation: incarnation, sequence: sequence, group: group.isEmpty ? nil : group)
    }

    /// What a decoder makes of a frame.
    init(decoding frame: [UInt8], with decoder: inout BatchDecoder) throws(WireError) {
        try decoder.decode(frame.span)
        origin = decoder.origin
        incarnation = decoder.incarnation
        sequence = decoder.sequence
        stamp = decoder.stamp
        group = decoder.group
        updates = []
        let batch = decoder.batch(in: frame.span)
        for index in 0..<batch.count {
            let update = batch.update(at: index)
            updates.append(
                Update(
                    operation: update.operation, stamp: update.stamp, id: update.id.text,
                    fields: EncodedFields(bytes: update.fields.copy, count: update.fieldCount)))
        }
    }

    init(decoding frame: [UInt8], limits: WireLimits = .default) throws(WireError) {
        var decoder = BatchDecoder(limits: limits)
        try self.init(decoding: frame, with: &decoder)
    }

    init(
        origin: String = "users-1", incarnation: UInt64 = 5, sequence: UInt64 = 1, stamp: Stamp = 100,
        updates: [Update] = [], group: [Topic] = []
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.sequence = sequence
        self.stamp = stamp
        self.updates = updates
        self.group = group
    }

    /// Any batch, of at most so many updates.
    static func random(updates count: Int = 6, using generator: inout SeededGenerator) throws -> BatchSample {
        let stamp = UInt64.random(in: 0...(1 << 60), using: &generator)
        var sample = BatchSample(
            origin: randomOrigin(using: &generator), incarnation: randomCount(using: &generator),
            sequence: randomCount(using: &generator) | 1, stamp: stamp)
        var next = stamp
        for _ in 0..<Int.random(in: 1...count, using: &generator) {
            next += UInt64.random(in: 0...70_000, using: &generator)
            let operation = UpdateOperation(rawValue: .random(in: 0...2, using: &generator)) ?? .merge
            let fields = operation == .delete ? [:] : Fields.random(count: 4, depth: 2, using: &generator)
            sample.updates.append(
                Update(
                    operation: operation, stamp: next, id: .random(lengths: 1...30, using: &generator),
                    fields: try EncodedFields(fields)))
            next += 1
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { sample.group = randomTopics(1...3, using: &generator) }
        return sample
    }
}

extension Span<UInt8> {
    var copy: [UInt8] { indices.map { self[$0] } }
    var text: String { String(decoding: copy, as: UTF8.self) }
}

/// A plan has no copies, and what is in it matters for one merge only.
private final class Scratch {
    var plan = MergePlan()
}

/// Applies updates to records, one after the other, as a cache does.
struct Records {
    private(set) var byID: [String: CellRecord] = [:]
    private let scratch = Scratch()

    mutating func apply(_ frame: [UInt8], with decoder: borrowing BatchDecoder) {
        let batch = decoder.batch(in: frame.span)
        for index in 0..<batch.count {
            let update = batch.update(at: index)
            let id = update.id.text
            if let record = CellRecord.applying(update, to: byID[id], plan: &scratch.plan).record { byID[id] = record }
        }
    }
}

func randomOrigin(using generator: inout SeededGenerator) -> String {
    ["a", "users-1", "node_7.example.org", "0-_."].randomElement(using: &generator) ?? "a"
}

func randomType(using generator: inout SeededGenerator) -> String {
    ["User", "_x", "Stock.Item-2", "P"].randomElement(using: &generator) ?? "User"
}

/// Small numbers and great ones.
func randomCount(using generator: inout SeededGenerator) -> UInt64 {
    UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0...63, using: &generator)
}

func randomTopics(_ count: ClosedRange<Int>, using generator: inout SeededGenerator) -> [Topic] {
    var topics: Set<Topic> = []
    for _ in 0..<Int.random(in: count, using: &generator) {
        topics.insert(
            .data(
                type: randomType(using: &generator),
                partitions: Partitions.allCases.randomElement(using: &generator) ?? .one,
                bucket: .random(in: 0..<256, using: &generator)))
    }
    // A set has no order that a seed would give again.
    return topics.sorted {
        $0.bytes.count == $1.bytes.count ? $0.description < $1.description : $0.bytes.count < $1.bytes.count
    }
}

extension SignedHeads {
    static func random(using generator: inout SeededGenerator) -> SignedHeads {
        let heads = Heads.random(using: &generator)
        let first = Int.random(in: 0..<256, using: &generator)
        let count = Int.random(in: 0...min(256 - first, 5), using: &generator)
        return SignedHeads(
            origin: heads.origin, incarnation: heads.incarnation, stamp: heads.stamp, type: "User",
            since: randomCount(using: &generator),
            heads: heads.heads.map { TopicHead(topic: $0.topic, sequence: $0.sequence) }, firstBucket: first,
            hashes: (0..<count * SignedHeads.hashByteCount).map { _ in .random(in: 0...255, using: &generator) })
    }
}

extension Heads {
    static func random(using generator: inout SeededGenerator) -> Heads {
        let heads = randomTopics(0...4, using: &generator).map { topic in
            TopicHead(
                topic: topic, sequence: randomCount(using: &generator),
                digest: Bool.random(using: &generator) ? randomCount(using: &generator) : nil)
        }
        return Heads(
            origin: randomOrigin(using: &generator), incarnation: randomCount(using: &generator),
            stamp: randomCount(using: &generator), heads: heads, isRelayed: .random(using: &generator),
            hasTransactions: .random(using: &generator), isPushed: .random(using: &generator),
            leavesNamesOut: .random(using: &generator), mayHaveFormer: .random(using: &generator),
            ageMilliseconds: randomNumber(using: &generator), leasesSince: randomNumber(using: &generator),
            quietMilliseconds: randomNumber(using: &generator), leaseDistance: randomNumber(using: &generator))
    }

    private static func randomNumber(using generator: inout SeededGenerator) -> UInt64? {
        Bool.random(using: &generator) ? randomCount(using: &generator) : nil
    }

    static func randomList(using generator: inout SeededGenerator) -> [Heads] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(using: &generator) }
    }
}

extension Bye {
    static func random(using generator: inout SeededGenerator) -> Bye {
        Bye(
            origin: randomOrigin(using: &generator), incarnation: randomCount(using: &generator),
            stamp: randomCount(using: &generator))
    }
}

extension ControlRequest {
    static let kindCount = 13

    static func random(kind: Int, using generator: inout SeededGenerator) throws -> ControlRequest {
        let rid = randomCount(using: &generator)
        let topic = randomTopics(1...1, using: &generator)[0]
        switch kind {
        case 0:
            return .hello(
                rid: rid, version: 1, name: .random(lengths: 0...20, using: &generator),
                prefixes: randomTopics(0...3, using: &generator))
        case 1:
            return .snapshot(
                rid: rid, prefixes: randomTopics(0...3, using: &generator), credit: randomCount(using: &generator))
        case 10:
            return .heads(
                rid: rid, prefixes: randomTopics(0...3, using: &generator), credit: randomCount(using: &generator))
        case 12:
            return .ids(
                rid: rid, prefixes: randomTopics(0...3, using: &generator), credit: randomCount(using: &generator))
        case 11:
            return .fetchBack(
                rid: rid, type: randomType(using: &generator), ids: [.random(lengths: 1...30, using: &generator)],
                milliseconds: max(randomCount(using: &generator), 1))
        case 2: return .credit(rid: rid, count: randomCount(using: &generator))
        case 3:
            return .replay(
                rid: rid, origin: randomOrigin(using: &generator), incarnation: randomCount(using: &generator),
                topic: topic, first: randomCount(using: &generator), last: randomCount(using: &generator))
        case 4:
            return .fetch(
                rid: rid, type: randomType(using: &generator),
                ids: (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    .random(lengths: 1...30, using: &generator)
                })
        case 5: return .digest(rid: rid, type: randomType(using: &generator), bits: randomCount(using: &generator))
        case 6: return .push(rid: rid, topic: topic, batch: try BatchSample.random(using: &generator).encode())
        case 7:
            return .report(
                rid: rid,
                report: ReplicaReport(
                    state: "live", applied: Heads.randomList(using: &generator),
                    lagMilliseconds: Bool.random(using: &generator) ? randomCount(using: &generator) : nil,
                    streams: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                        ReplicaReport.Stream(
                            origin: "o", topic: topic, state: "stale", milliseconds: randomCount(using: &generator),
                            reason: .random(lengths: 0...20, using: &generator))
                    },
                    counters: ["applied_updates": randomCount(using: &generator), "holes_found": 3]))
        case 8: return .cancel(rid: rid)
        default: return .unknown(method: "dance", rid: rid)
        }
    }
}

extension ControlReply {
    static let kindCount = 10

    static func random(kind: Int, using generator: inout SeededGenerator) throws -> ControlReply {
        let rid = randomCount(using: &generator)
        let heads = Heads.randomList(using: &generator)
        switch kind {
        case 0:
            return .welcome(
                rid: rid, version: 1, name: .random(lengths: 0...20, using: &generator),
                streamEndpoint: "tcp://*:5555", heartbeatMilliseconds: randomCount(using: &generator),
                frameLimit: randomCount(using: &generator), heads: heads,
                types: (0..<Int.random(in: 0...3, using: &generator)).map { _ in randomType(using: &generator) })
        case 1:
            return .records(
                rid: rid, type: randomType(using: &generator), records: try randomRecords(using: &generator))
        case 2: return .complete(rid: rid, heads: heads)
        case 3:
            return .frame(
                rid: rid, topic: randomTopics(1...1, using: &generator)[0],
                batch: try BatchSample.random(using: &generator).encode())
        case 4: return .gone(rid: rid, oldest: randomCount(using: &generator))
        case 5:
            return .digests(
                rid: rid, heads: heads, digests: (0..<4).map { _ in .random(in: 0...UInt64.max, using: &generator) })
        case 6: return .accepted(rid: rid)
        case 8:
            return .evicted(
                rid: rid, type: randomType(using: &generator),
                ids: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    .random(lengths: 1...20, using: &generator)
                })
        case 7: return .error(rid: rid, code: .busy, message: .random(lengths: 0...60, using: &generator))
        default: return .unknown(method: "sing", rid: rid)
        }
    }

    /// Records as a few batches make them.
    private static func randomRecords(using generator: inout SeededGenerator) throws -> [CellRecord] {
        var records = Records()
        var decoder = BatchDecoder()
        for _ in 0..<3 {
            var sample = try BatchSample.random(using: &generator)
            for index in sample.updates.indices {
                sample.updates[index].id = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
            }
            let frame = sample.encode()
            try decoder.decode(frame.span)
            records.apply(frame, with: decoder)
        }
        return records.byID.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// A frame of any kind.
enum FrameSample: Equatable {
    case heads(Heads)
    case bye(Bye)
    case batch(BatchSample)
    case request(ControlRequest)
    case reply(ControlReply)
    case signedHeads(SignedHeads)

    static let kindCount = 4 + ControlRequest.kindCount + ControlReply.kindCount

    static func random(kind: Int, using generator: inout SeededGenerator) throws -> FrameSample {
        switch kind {
        case 0: return .heads(.random(using: &generator))
        case 1: return .bye(.random(using: &generator))
        case 2: return .batch(try .random(using: &generator))
        case kindCount - 1: return .signedHeads(.random(using: &generator))
        case ..<(3 + ControlRequest.kindCount): return .request(try .random(kind: kind - 3, using: &generator))
        default: return .reply(try .random(kind: kind - 3 - ControlRequest.kindCount, using: &generator))
        }
    }

    func encode() -> [UInt8] {
        switch self {
        case .heads(let heads): heads.encode()
        case .bye(let bye): bye.encode()
        case .batch(let batch): batch.encode()
        case .request(let request): request.encode()
        case .reply(let reply): reply.encode()
        // A seal is a byte string, of which the decoder does not ask what is in it.
        case .signedHeads(let heads): heads.encodeWithoutSeal() + [0x42, 1, 2]
        }
    }

    /// Decodes a frame of the same kind as this one: of the stream, a request or a reply.
    func decoding(_ frame: [UInt8], limits: WireLimits = .default) throws(WireError) -> FrameSample? {
        switch self {
        case .heads, .bye, .batch, .signedHeads:
            switch try StreamFrame(decoding: frame.span, limits: limits) {
            case .heads(let heads): return .heads(heads)
            case .bye(let bye): return .bye(bye)
            case .signedHeads(let heads): return .signedHeads(heads)
            case .batch: return .batch(try BatchSample(decoding: frame, limits: limits))
            case .unknown: return nil
            }
        case .request: return .request(try ControlRequest(decoding: frame.span, limits: limits))
        case .reply: return .reply(try ControlReply(decoding: frame.span, limits: limits))
        }
    }
}
