import Dispatch
import Foundation
@_spi(CacheWriting) import ModelCache
import ModelWire
import Modelcast
import Synchronization

/// Models as Swift types, in this process: decoding, reading, changing.
extension Measurement {
    func measureModels() throws -> BenchPart {
        let count = min(plan.models, 100_000)
        tell("\(Figures.grouped(count)) models of eleven properties")
        var part = BenchPart(.models)
        part.figures = try TypedModels(count: count).measure(rounds: max(3, plan.rounds)).figures
        return part
    }
}

/// A cache of models, and the measurements on it.
private final class TypedModels: Sendable {
    private let cache: ModelCache
    private let ids: [String]
    private let batches: [[UInt8]]
    /// Ids in a random order, so that the processor cannot prefetch their models.
    private let shuffled: [String]

    init(count: Int) throws {
        ids = (0..<count).map { "user-\($0)" }
        var numbers = SeededNumbers(seed: 1)
        let ids = ids
        shuffled = (0..<count).map { _ in ids[numbers.below(count)] }
        batches = try TypedModels.batches(ids)
        cache = try TypedModels.filled(batches)
    }

    private static func user(_ id: String, _ number: Int) -> BenchUser {
        BenchUser(
            id: id, name: "User number \(number)", mailAddress: "user-\(number)@example.org", age: number % 100,
            balance: Double(number) / 3, isActive: number.isMultiple(of: 2), city: number % 3 == 0 ? nil : "London",
            score: Int32(number), createdAt: Date(timeIntervalSince1970: 1_700_000_000), tags: ["reader", "writer"])
    }

    private static func batches(_ ids: [String]) throws -> [[UInt8]] {
        var batches: [[UInt8]] = []
        for start in stride(from: 0, to: ids.count, by: 1000) {
            var writer = BatchWriter()
            for number in start..<min(start + 1000, ids.count) {
                let stamp = Stamp(number + 1) << 16
                try writer.append(.merge, stamp: stamp, id: ids[number], fields: user(ids[number], number).fields)
            }
            batches.append(writer.finish(origin: "bench", incarnation: 1, sequence: 1))
        }
        return batches
    }

    /// A cache with all models, none of which has been read.
    private static func filled(_ batches: [[UInt8]]) throws -> ModelCache {
        let cache = ModelCache()
        for batch in batches { try commit(batch, to: cache) }
        return cache
    }

    private static func commit(_ batch: [UInt8], to cache: ModelCache) throws {
        var decoder = BatchDecoder()
        try decoder.decode(batch.span)
        cache.commit(decoder.batch(in: batch.span), type: BenchUser.modelType)
    }

    func measure(rounds: Int) throws -> TypedModelCosts {
        var figures = TypedModelCosts()
        let records = ids.compactMap { cache[BenchUser.modelType, $0] }
        let json = try ids.prefix(5000).compactMap { try cache[lastGood: BenchUser.self, $0].map(JSONEncoder().encode) }
        let users = ids.compactMap { cache[lastGood: BenchUser.self, $0] }
        let older = users.map { user in user.with { $0.age += 1 } }
        guard records.count == ids.count, users.count == ids.count else { throw BenchError("a model is missing") }
        var samples: [WritableKeyPath<TypedModelCosts, Double>: [Double]] = [:]
        for _ in 0..<rounds {
            // The measurements take turns, so that other work of the machine disturbs all of them alike.
            func add(
                _ path: WritableKeyPath<TypedModelCosts, Double>, _ count: Int, _ body: (Int) throws -> Int
            ) rethrows {
                samples[path, default: []].append(try TypedModels.nanoseconds(count, body))
            }
            try add(\.decodeNanoseconds, ids.count) { try BenchUser(id: ids[$0], record: records[$0]).age }
            add(\.byHandNanoseconds, ids.count) { BenchUserByHand(id: ids[$0], record: records[$0])?.age ?? -1 }
            let decoder = JSONDecoder()
            try add(\.jsonNanoseconds, json.count) { try decoder.decode(BenchUserJSON.self, from: json[$0]).age }
            add(\.pointReadNanoseconds, ids.count) { cache[BenchUser.modelType, shuffled[$0]]?.cellCount ?? -1 }
            add(\.warmReadNanoseconds, ids.count) { cache[lastGood: BenchUser.self, shuffled[$0]]?.age ?? -1 }
            add(\.lentReadNanoseconds, ids.count) {
                cache.withModel(lastGood: BenchUser.self, shuffled[$0]) { $0.age } ?? -1
            }
            add(\.lentWholeNanoseconds, ids.count) {
                cache.withModel(lastGood: BenchUser.self, shuffled[$0]) { $0.weight } ?? -1
            }
            add(\.withNanoseconds, users.count) { number in users[number].with { $0.age += 1 }.age }
            try add(\.diffNanoseconds, users.count) { try older[$0].diff(from: users[$0]).count }
            // The records of this cache have not been read yet.
            let fresh = try TypedModels.filled(batches)
            add(\.coldReadNanoseconds, ids.count) { fresh[lastGood: BenchUser.self, ids[$0]]?.age ?? -1 }
        }
        for (path, values) in samples { figures[keyPath: path] = values.median ?? 0 }
        try readWhileWriting(&figures)
        return figures
    }

    /// The time of one call.
    private static func nanoseconds(_ count: Int, _ body: (Int) throws -> Int) rethrows -> Double {
        var sum = 0
        let start = MonotonicClock.nanoseconds
        for number in 0..<count { sum &+= try body(number) }
        let elapsed = MonotonicClock.nanoseconds - start
        // The sum is used, so that the compiler removes no call.
        return Double(elapsed) / Double(max(1, count)) + (sum == .min ? 1 : 0)
    }

    /// The state that the readers share with the writer.
    private final class Progress: Sendable {
        let isDone = Atomic(false)
        let missed = Atomic(0)
    }

    /// Measures a million typed reads by eight queues, while one thread commits without a pause.
    private func readWhileWriting(_ figures: inout TypedModelCosts) throws {
        let (readers, reads) = (8, 1_000_000)
        let progress = Progress()
        let group = DispatchGroup()
        let start = MonotonicClock.nanoseconds
        for reader in 0..<readers {
            DispatchQueue(label: "reader \(reader)").async(group: group) {
                for number in 0..<(reads / readers) {
                    let id = self.shuffled[(number + reader * 977) % self.shuffled.count]
                    if self.cache[lastGood: BenchUser.self, id] == nil { progress.missed.add(1, ordering: .relaxed) }
                }
            }
        }
        group.notify(queue: .global()) { progress.isDone.store(true, ordering: .relaxed) }
        var number: UInt64 = 0
        while !progress.isDone.load(ordering: .relaxed) {
            var writer = BatchWriter()
            for _ in 0..<64 {
                number += 1
                let (stamp, id) = (Stamp(1 << 40 + number) << 16, ids[Int(number * 7919) % ids.count])
                try writer.append(.merge, stamp: stamp, id: id, fields: ["age": .int(Int64(number % 100))])
            }
            try TypedModels.commit(writer.finish(origin: "bench", incarnation: 1, sequence: 1), to: cache)
        }
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        guard progress.missed.load(ordering: .relaxed) == 0 else { throw BenchError("a typed read found nothing") }
        figures.concurrentReadsPerSecond = Double(reads) / seconds
        figures.concurrentUpdatesPerSecond = Double(number) / seconds
    }
}
