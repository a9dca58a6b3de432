@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import Synchronization

/// Commits batches of several types to a cache, and logs each with its number. Some of what it writes is late.
final class CommitClient: StressClient {
    private struct Inside {
        var random: SeededGenerator
        var count = 0
        var commits: [LoggedCommit] = []
        var faults: [String] = []
    }

    /// What all clients of one cache share.
    final class Shared: Sendable {
        let cache = ModelCache()
        fileprivate let counter = Atomic<UInt64>(1 << 20)
    }

    private let number: Int
    private let shared: Shared
    private let inside: Guarded<Inside>

    init(_ number: Int, seed: UInt64, _ shared: Shared) {
        self.number = number
        self.shared = shared
        inside = Guarded(Inside(random: SeededGenerator(seed: Fingerprint.mix(seed &+ UInt64(number) << 20))))
    }

    var commits: [LoggedCommit] { inside.withLock { $0.commits } }
    var faults: [String] { inside.withLock { $0.faults } }

    func step() {
        let (sections, isSingle) = inside.withLock { plan(&$0) }
        do {
            let summary = try isSingle ? commitOne(sections) : commit(sections)
            guard summary.changed > 0 else { return }
            let commit = LoggedCommit(number: summary.commitNumber, updates: sections.flatMap(\.self))
            inside.withLock { $0.commits.append(commit) }
        } catch {
            inside.withLock { $0.faults.append("\(error)") }
        }
    }

    /// Updates, each inner list of one type, and whether they are one that is committed alone.
    private func plan(_ inside: inout Inside) -> ([[LoggedUpdate]], isSingle: Bool) {
        let origin = "w\(number)"
        func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &inside.random) }
        let isSingle = below(4) == 0
        let sections = (0..<(isSingle ? 1 : 1 + below(3))).map { _ -> [LoggedUpdate] in
            let type = ["Item", "Other", "Deed"][below(3)]
            let time = shared.counter.add(1, ordering: .relaxed).newValue
            let isLate = below(5) == 0
            // The counter keeps stamps apart that are set back to the same time.
            let stamp = (time - UInt64(isLate ? below(200) : 0)) << 32 | (time & 0xFF_FFFF) << 8
            return (0..<(isSingle ? 1 : 1 + below(5))).map { index in
                let key = ModelKey(type: type, id: "\(below(OperationGenerator.idCount))")
                let operation: UpdateOperation = [.merge, .merge, .merge, .replace, .delete][below(5)]
                var fields: Contents = [:]
                for _ in 0..<(operation == .delete ? 0 : 1 + below(3)) {
                    inside.count += 1
                    let value = Value.int(StressValues.unique(client: number, count: inside.count))
                    fields[["a", "b", "c", "d"][below(4)]] = below(8) == 0 ? .undefined : value
                }
                return LoggedUpdate(
                    key: key, operation: operation, fields: fields,
                    version: Version(stamp: stamp + UInt64(index), origin: origin))
            }
        }
        // Now and then all that is known of a model is given up.
        guard !isSingle, below(12) == 0 else { return (sections, isSingle) }
        let version = Version(stamp: 0, origin: origin)
        let key = ModelKey(type: "Other", id: "\(below(OperationGenerator.idCount))")
        return ([[LoggedUpdate(key: key, operation: nil, fields: [:], version: version)]], false)
    }

    private func commit(_ sections: [[LoggedUpdate]]) throws -> CommitSummary {
        let frames = try sections.map(CommitClient.frame)
        let (outcome, summary) = shared.cache.commit { commit in
            Result {
                for (updates, frame) in zip(sections, frames) {
                    guard let frame else {
                        for update in updates { commit.overwrite(type: update.key.type, id: update.key.id, with: nil) }
                        continue
                    }
                    var decoder = BatchDecoder()
                    try decoder.decode(frame.span)
                    commit.apply(decoder.batch(in: frame.span), type: updates[0].key.type)
                }
            }
        }
        try outcome.get()
        return summary
    }

    private func commitOne(_ sections: [[LoggedUpdate]]) throws -> CommitSummary {
        guard let frame = try CommitClient.frame(sections[0]) else { return CommitSummary() }
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        let batch = decoder.batch(in: frame.span)
        return shared.cache.commit(batch.update(at: 0), in: shared.cache.table(sections[0][0].key.type))
    }

    /// The updates as a publisher would send them; nil for models that are taken out.
    private static func frame(_ updates: [LoggedUpdate]) throws -> [UInt8]? {
        var writer = BatchWriter()
        for update in updates {
            guard let operation = update.operation else { return nil }
            try writer.append(
                operation, stamp: update.version.stamp, id: update.key.id, fields: Fields(update.fields))
        }
        return writer.finish(origin: updates[0].version.origin, incarnation: 1, sequence: 1)
    }
}

/// Takes snapshots, holds some of them, and looks whether what they show stays as it was.
final class SnapshotClient: StressClient {
    private struct Inside {
        var random: SeededGenerator
        var held: [(snapshot: Snapshot, models: [ModelKey: Contents])] = []
        var seen: [SeenSnapshot] = []
        var faults: [String] = []
    }

    private let cache: ModelCache
    private let inside: Guarded<Inside>

    init(_ number: Int, seed: UInt64, _ cache: ModelCache) {
        self.cache = cache
        inside = Guarded(Inside(random: SeededGenerator(seed: Fingerprint.mix(seed &+ UInt64(number) << 24))))
    }

    var seen: [SeenSnapshot] { inside.withLock { $0.seen } }
    var faults: [String] { inside.withLock { $0.faults } }

    func step() {
        inside.withLock { inside in
            let snapshot = cache.snapshot()
            let models = SnapshotClient.models(of: snapshot)
            inside.seen.append(SeenSnapshot(commitNumber: snapshot.commitNumber, models: models))
            inside.held.append((snapshot, models))
            guard inside.held.count > 4 else { return }
            let old = inside.held.remove(at: Int.random(in: 0..<5, using: &inside.random))
            if SnapshotClient.models(of: old.snapshot) != old.models {
                inside.faults.append("the snapshot of commit \(old.snapshot.commitNumber) has changed")
            }
        }
    }

    /// All models by iteration, and by point reads the same.
    static func models(of snapshot: Snapshot) -> [ModelKey: Contents] {
        var models: [ModelKey: Contents] = [:]
        for type in snapshot.types {
            for record in snapshot.records(of: type) { models[ModelKey(type: type, id: record.id)] = record.values }
        }
        let points = models.keys.map { ($0, snapshot[$0.type, $0.id]?.values ?? [:]) }
        let counts = snapshot.types.reduce(0) { $0 + snapshot.count(of: $1) }
        // Contents that no log leads to, so that the check fails where the two ways of reading differ.
        guard Dictionary(uniqueKeysWithValues: points) == models, counts == models.count else {
            return [ModelKey(type: "points and iteration differ", id: "\(counts)"): [:]]
        }
        return models
    }
}
