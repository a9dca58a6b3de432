import Modelcast
import Synchronization

/// A source of models that are read by id: a cache, or the dictionary that it is compared with.
protocol ReadSource: Sendable {
    /// The size of the model's record; nil where there is none.
    func read(_ id: String) -> Int?

    /// Writes models until `isOver` returns true, without a pause.
    /// - Returns: how many were written.
    func write(until isOver: () -> Bool) throws -> Int
}

/// A cache, read by a `ModelTable`. Its writer makes, decodes and commits batches.
final class CacheReads: ReadSource {
    let cache: ModelCache
    private let table: ModelTable
    private let models: Int
    private let writer: Mutex<Writer>

    private struct Writer: ~Copyable {
        var fed: FedCache
        var source: NumberedModels
    }

    init(models: Int) throws {
        var writer = Writer(fed: FedCache(), source: NumberedModels(seed: 5))
        try writer.fed.fill(0..<models, from: &writer.source)
        cache = writer.fed.cache
        table = cache.table(Workload.type)
        self.models = models
        self.writer = Mutex(writer)
    }

    @inline(__always)
    func read(_ id: String) -> Int? { table[id]?.byteCount }

    func record(_ id: String) -> CellRecord? { table[id] }

    func write(until isOver: () -> Bool) throws -> Int {
        try writer.withLock { writer in
            var count = 0
            while !isOver() {
                try writer.fed.take(try writer.source.updates(NumberedModels.batchCount, of: models))
                count += NumberedModels.batchCount
            }
            return count
        }
    }
}

/// The same cache, read by the names of type and id, as most programs do.
struct NamedReads: ReadSource {
    let reads: CacheReads

    @inline(__always)
    func read(_ id: String) -> Int? { reads.cache[Workload.type, id]?.byteCount }

    func write(until isOver: () -> Bool) throws -> Int { try reads.write(until: isOver) }
}

/// The records of a cache in a dictionary behind a lock. Its writer replaces values, a batch under one lock.
final class DictionaryReads: ReadSource {
    private let records: Mutex<[String: CellRecord]>
    private let others: [(id: String, records: [CellRecord])]
    private static let otherCountMax = 65_536

    /// - Parameter reads: the cache whose records the dictionary holds. Its writer runs here until most models have a
    ///   second record, which the dictionary's writer uses.
    init(_ reads: CacheReads, models: Int) throws {
        var records: [String: CellRecord] = [:]
        records.reserveCapacity(models)
        for model in 0..<models {
            // Each key is a string of its own, because comparing two strings that share their memory is faster.
            let id = NumberedModels.id(model)
            guard let record = reads.record(id) else { throw BenchError("model \(id) is missing") }
            records[id] = record
        }
        // The cache is written until most models have another record.
        var turns = models / NumberedModels.batchCount * 2 + 1
        _ = try reads.write {
            turns -= 1
            return turns < 0
        }
        others = stride(from: 0, to: models, by: max(1, models / DictionaryReads.otherCountMax)).compactMap { model in
            let id = NumberedModels.id(model)
            guard let old = records[id], let new = reads.record(id) else { return nil }
            return (id, [old, new])
        }
        self.records = Mutex(records)
    }

    @inline(__always)
    func read(_ id: String) -> Int? { records.withLock { $0[id] }?.byteCount }

    func write(until isOver: () -> Bool) -> Int {
        var numbers = SeededNumbers(seed: 9)
        var count = 0
        while !isOver() {
            let turn = count / NumberedModels.batchCount & 1
            records.withLock { records in
                for _ in 0..<NumberedModels.batchCount {
                    let other = numbers.below(others.count)
                    records[others[other].id] = others[other].records[turn]
                }
            }
            count += NumberedModels.batchCount
        }
        return count
    }
}
