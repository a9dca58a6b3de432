import Dispatch
import Foundation
import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Modelcast

/// The canonical load, small enough for callgrind, one part of it in one process: `Scripts/counts` runs it.
///
/// The preparation before the counted updates, and the comparison after them, stand outside of ``CountedWork``, so they
/// are not counted. The parts with sockets count everything; there the script takes the difference of two runs.
public struct CountedLoad {
    let part: CountedPart
    let updates: Int
    private let workload = Workload(models: CountedLoad.modelCount)
    private var load: BenchLoad
    private var frames = 0
    private var wireByteCount = 0

    static let modelCount = 2_000
    /// How many writes a call hands over in the parts with batches.
    static let batchCount = 64
    /// How many updates a frame has under load.
    static let frameCount = 256
    /// How many updates are made before anything is counted, so that memory has grown to its size.
    static let warmUpCount = 8 * frameCount
    static let observedCount = 1_000

    /// The counts of one run, which `modelcast-count` prints as JSON.
    public struct CountReport: Codable, Sendable {
        /// The part that was counted.
        public var part: CountedPart
        /// How many updates were counted.
        public var updates: Int
        /// How many frames the counted updates made; 0 where they made none.
        public var frames: Int
        /// The bytes of these frames and of their topics.
        public var wireBytes: Int
    }

    /// - Parameter updates: how many updates are counted; a multiple of 256.
    /// - Throws: ``BenchError`` for any other number.
    public init(_ part: CountedPart, updates: Int) throws {
        guard updates > 0, updates.isMultiple(of: CountedLoad.frameCount) else {
            throw BenchError("--updates must be a multiple of \(CountedLoad.frameCount)")
        }
        self.part = part
        self.updates = updates
        load = BenchLoad(ids: workload.ids, updates: Workload.updates(1_024), seed: 1)
    }

    /// Does the work of the part, and checks its result.
    /// - Throws: ``BenchError`` when the work was not done as it should, or digests differ.
    public mutating func run() throws -> CountReport {
        switch part {
        case .publish, .publishBatch: try publish()
        case .origin, .originBatch, .originAlone: try originate()
        case .apply, .applyAlone, .applyObserved, .applyWatched: try apply()
        case .read: try read()
        case .typedRead: try typedRead(CountedWork.countedTypedRead)
        case .lentRead: try typedRead(CountedWork.countedLentRead)
        case .exchange, .exchangeAlone:
            frames = try CountedExchange(workload, load).run(updates, alone: part == .exchangeAlone)
        }
        return CountReport(part: part, updates: updates, frames: frames, wireBytes: wireByteCount)
    }

    // MARK: Publisher

    /// Publishes at a publisher that does not run: its outbox takes everything.
    private mutating func publish() throws {
        var configuration = PublisherConfiguration(
            name: "bench", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.outboxByteCount = 1 << 30
        let publisher = try Publisher(configuration, logger: Worker.logger("bench"))
        var numbers = SeededNumbers(seed: 3)
        for id in workload.ids { try publisher.merge(Workload.type, id, Workload.whole(&numbers)) }
        var expected = load
        for count in [CountedLoad.warmUpCount, updates] {
            let published =
                if part == .publish {
                    try CountedWork.countedPublish(publisher, &load, count)
                } else {
                    try CountedWork.countedPublishBatch(publisher, count) { batch in
                        for _ in 0..<CountedLoad.batchCount {
                            let write = load.next()
                            try batch.merge(Workload.type, load.ids[write.id], load.updates[write.fields])
                        }
                    }
                }
            guard published > count / 10 * 9 else { throw BenchError("only \(published) of \(count) were published") }
        }
        try check(publisher.cache, &expected)
    }

    /// Checks that the cache holds the last update of each model.
    private func check(_ cache: ModelCache, _ load: inout BenchLoad) throws {
        var last: [String: Fields] = [:]
        for _ in 0..<(CountedLoad.warmUpCount + updates) {
            let write = load.next()
            last[load.ids[write.id]] = load.updates[write.fields]
        }
        for (id, fields) in last {
            let record = cache[Workload.type, id]
            guard Workload.fieldNames.allSatisfy({ fields[$0] == nil || record?[$0] == fields[$0] }) else {
                throw BenchError("the model \(id) does not hold its last update; no count counts")
            }
        }
    }

    // MARK: Origin and replica

    private func makePair() throws -> CountedPair {
        var pair = try CountedPair()
        var numbers = SeededNumbers(seed: 3)
        for id in workload.ids {
            let fields = try EncodedFields(Workload.whole(&numbers))
            _ = try pair.origin.write(.merge, type: Workload.type, id: id, fields: fields, now: pair.now)
        }
        pair.origin.flush()
        _ = pair.origin.takeActions()
        return pair
    }

    private var frameUpdates: Int {
        part == .originAlone || part == .applyAlone ? 1 : CountedLoad.frameCount
    }

    private mutating func originate() throws {
        var pair = try makePair()
        try pair.connect()
        var writes = WriteBatch(limits: .default)
        for position in stride(from: 0, to: CountedLoad.warmUpCount + updates, by: frameUpdates) {
            pair.passTime(frameUpdates)
            let actions =
                if part == .originBatch {
                    try CountedWork.countedOriginBatch(&pair.origin, &load, &writes, frameUpdates, now: pair.now)
                } else {
                    try CountedWork.countedOrigin(&pair.origin, &load, frameUpdates, now: pair.now)
                }
            for case .publish(let topic, let payload) in actions {
                pair.replica.receiveStream(pair.sender, topic: topic.bytes.span, payload: payload.span, now: pair.now)
                if position >= CountedLoad.warmUpCount { note(topic, payload) }
            }
        }
        try pair.requireEqual()
    }

    private mutating func note(_ topic: Topic, _ payload: [UInt8]) {
        frames += 1
        wireByteCount += topic.bytes.count + payload.count
    }

    private mutating func apply() throws {
        var pair = try makePair()
        try pair.connect()
        let observed = part == .applyWatched ? workload.ids.count : CountedLoad.observedCount
        let observers =
            part == .applyObserved || part == .applyWatched
            ? CountedObservers(
                pair.replica.cache, workload.ids.prefix(observed), isTypeObserved: part == .applyObserved) : nil
        for position in stride(from: 0, to: CountedLoad.warmUpCount + updates, by: frameUpdates) {
            pair.passTime(frameUpdates)
            for _ in 0..<frameUpdates {
                let write = load.next()
                let fields = try EncodedFields(load.updates[write.fields])
                _ = try pair.origin.write(
                    .merge, type: Workload.type, id: load.ids[write.id], fields: fields, now: pair.now)
            }
            pair.origin.flush()
            for case .publish(let topic, let payload) in pair.origin.takeActions() {
                let (name, now) = (topic.bytes, pair.now)
                observers?.hold()
                CountedWork.countedApply(pair.replica, pair.sender, topic: name, payload: payload, now: now)
                observers?.tell()
                if position >= CountedLoad.warmUpCount { note(topic, payload) }
            }
        }
        let share = Double(observed) / Double(workload.ids.count)
        try observers?.requireTold(CountedLoad.warmUpCount + updates, share: share)
        try pair.requireEqual()
    }

    // MARK: Reads

    private mutating func read() throws {
        let pair = try makePair()
        var numbers = SeededNumbers(seed: 5)
        let table = pair.origin.cache.table(Workload.type)
        for count in [CountedLoad.warmUpCount, updates] {
            let found = CountedWork.countedRead(table, workload.ids, &numbers, count)
            guard found == count else { throw BenchError("\(count - found) reads found no model") }
        }
    }

    private mutating func typedRead(
        _ counted: (ModelCache, [String], inout SeededNumbers, Int) -> Int
    ) throws {
        var pair = try CountedPair()
        for (number, id) in workload.ids.enumerated() {
            let user = BenchUser(
                id: id, name: "User number \(number)", mailAddress: "user-\(number)@example.org", age: 1,
                balance: Double(number) / 3, isActive: number.isMultiple(of: 2), city: number % 3 == 0 ? nil : "London",
                score: Int32(number), createdAt: Date(timeIntervalSince1970: 1_700_000_000), tags: ["reader", "writer"])
            _ = try pair.origin.write(
                .merge, type: BenchUser.modelType, id: id, fields: try EncodedFields(user.fields), now: pair.now)
        }
        // Each model is read once before, so that its view is on the record.
        for id in workload.ids { _ = pair.origin.cache[lastGood: BenchUser.self, id] }
        var numbers = SeededNumbers(seed: 5)
        for count in [CountedLoad.warmUpCount, updates] {
            let sum = counted(pair.origin.cache, workload.ids, &numbers, count)
            guard sum == count else { throw BenchError("a typed read found another model than was written") }
        }
    }
}
