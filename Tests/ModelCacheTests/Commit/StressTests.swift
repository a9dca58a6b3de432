import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Synchronization
import TestSupport
import Testing

/// Writers, readers, snapshots and observers at once, on Dispatch queues. Made for the thread sanitizer too.
@Suite(.timeLimit(.minutes(15)))
struct StressTests {
    @Test func `nobody ever sees half a commit, an older version, or a gap`() {
        let stage = Stage()
        let everything = Auditor()
        let ofType = Auditor()
        let queue = DispatchQueue(label: "auditors")
        let tokens = [
            stage.cache.observe(.everything, on: queue) { everything.hear($0) },
            stage.cache.observe(.type("A"), on: DispatchQueue(label: "slow")) { set in
                // A slow one: it looks at all models each time it is told something.
                stage.checkSum(stage.cache.snapshot())
                ofType.hear(set)
            },
        ]
        let group = DispatchGroup()
        let writers = DispatchGroup()
        for number in 0..<2 {
            DispatchQueue.global().async(group: writers) { stage.write(as: number) }
        }
        for number in 0..<2 {
            DispatchQueue.global().async(group: group) { stage.read(as: number) }
        }
        DispatchQueue.global().async(group: group) { stage.takeSnapshots() }
        DispatchQueue.global().async(group: group) { stage.comeAndGo() }
        #expect(writers.wait(timeout: .now() + 90) == .success)
        stage.end()
        #expect(group.wait(timeout: .now() + 90) == .success)

        stage.checkSum(stage.cache.snapshot())
        #expect(stage.faults.isEmpty)
        let deadline = ContinuousClock.now + .seconds(60)
        let now = stage.models()
        while ContinuousClock.now < deadline, everything.values != now { queue.sync {} }
        #expect(everything.values == now)
        let nowOfType = now.filter { $0.key.hasPrefix("A/") }
        while ContinuousClock.now < deadline, ofType.values != nowOfType { queue.sync {} }
        #expect(ofType.values == nowOfType)
        print("StressTests: \(everything.setCount) and \(ofType.setCount) sets told, \(ofType.foldedCount) folded")
        #expect(everything.faults.isEmpty)
        #expect(ofType.faults.isEmpty)
        #expect(stage.digestsMatch())
        for token in tokens { token.cancel() }
    }
}

/// The play: two types of models whose numbers always add up to nought, and a third whose models come and go.
private final class Stage: Sendable {
    static let modelCount = 40
    static let commitCount = 1_500

    let cache = ModelCache()
    private let stamp = Atomic<UInt64>(1)
    private let isOver = Atomic<Bool>(false)
    private let found = Guarded<[String]>([])

    var faults: [String] { found.withLock { $0 } }

    init() {
        var batch = TestBatch()
        for number in 0..<Stage.modelCount { batch.add(.merge, "id\(number)", ["n": 0], at: 1) }
        cache.commit { commit in
            commit.apply(batch, "A")
            commit.apply(batch, "B")
        }
    }

    func end() { isOver.store(true, ordering: .releasing) }

    private var goesOn: Bool { !isOver.load(ordering: .acquiring) }

    private func fail(_ fault: String) { found.withLock { $0.append(fault) } }

    /// Moves amounts from models of one type to models of the other, several in a commit.
    func write(as writer: Int) {
        var random = SeededGenerator(seed: UInt64(100 + writer))
        for round in 0..<Stage.commitCount {
            cache.commit { commit in
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let amount = Int64.random(in: -9...9, using: &random)
                    add(amount, "A", &commit, writer, &random)
                    add(-amount, "B", &commit, writer, &random)
                }
                var guests = TestBatch(origin: "w\(writer)")
                let id = "guest\(Int.random(in: 0..<200, using: &random))"
                let at = stamp.add(1, ordering: .relaxed).newValue
                if round % 3 == 0 {
                    guests.add(.delete, id, at: at)
                } else {
                    guests.add(.replace, id, ["n": .int(Int64(round))], at: at)
                }
                commit.apply(guests, "C")
            }
        }
    }

    private func add(
        _ amount: Int64, _ type: String, _ commit: inout Commit, _ writer: Int, _ random: inout SeededGenerator
    ) {
        let id = "id\(Int.random(in: 0..<Stage.modelCount, using: &random))"
        let current = commit.current(type: type, id: id.utf8.span, idHash: Fingerprint.fnv(id))?["n"]?.intValue
        guard let current else { return fail("\(type)/\(id) is gone") }
        var batch = TestBatch(origin: "w\(writer)")
        let fields: Fields = ["n": .int(current + amount), "by\(writer)": .int(amount)]
        batch.add(.merge, id, fields, at: stamp.add(1, ordering: .relaxed).newValue)
        commit.apply(batch, type)
    }

    /// Point reads: what is read never grows older.
    func read(as reader: Int) {
        var random = SeededGenerator(seed: UInt64(200 + reader))
        var last: [String: Version] = [:]
        let table = cache.table("A")
        while goesOn {
            let id = "id\(Int.random(in: 0..<Stage.modelCount, using: &random))"
            guard let version = (reader == 0 ? table[id] : cache["A", id])?.touched else {
                return fail("A/\(id) is gone")
            }
            if let before = last[id], version < before { fail("A/\(id) went back from \(before) to \(version)") }
            last[id] = version
        }
    }

    /// Holds some snapshots at a time, lets go of any of them, and looks at all again and again.
    func takeSnapshots() {
        var random = SeededGenerator(seed: 300)
        var held: [Snapshot] = []
        while goesOn {
            held.append(cache.snapshot())
            for snapshot in held { checkSum(snapshot) }
            if held.count > 4 { held.remove(at: Int.random(in: 0..<held.count, using: &random)) }
        }
    }

    /// The numbers of a snapshot add up to nought, by iteration as by point reads.
    func checkSum(_ snapshot: Snapshot) {
        var sum: Int64 = 0
        var reads: Int64 = 0
        for type in ["A", "B"] {
            for record in snapshot.records(of: type) { sum += record["n"]?.intValue ?? 0 }
            for number in 0..<Stage.modelCount { reads += snapshot[type, "id\(number)"]?["n"]?.intValue ?? 0 }
        }
        if sum != 0 || reads != 0 { fail("half a commit was seen: \(sum), \(reads)") }
    }

    /// Observers that are there for a while, of all kinds.
    func comeAndGo() {
        var random = SeededGenerator(seed: 400)
        let queue = DispatchQueue(label: "guests")
        while goesOn {
            let id = "id\(Int.random(in: 0..<Stage.modelCount, using: &random))"
            let interest = [Interest.model(type: "A", id: id), .type("C"), .everything].randomElement(using: &random)
            let auditor = Auditor()
            let observation = cache.observe(interest ?? .everything, on: queue) { auditor.hear($0) }
            let wanted = Int.random(in: 0..<20, using: &random)
            while goesOn, auditor.setCount < wanted { queue.sync {} }
            queue.sync { observation.cancel() }
            let count = auditor.setCount
            queue.sync {}
            if auditor.setCount != count { fail("a callback after cancel") }
            for fault in auditor.faults { fail(fault) }
        }
    }

    /// The values of all models at rest.
    func models() -> [String: [String: Value]] {
        let snapshot = cache.snapshot()
        var models: [String: [String: Value]] = [:]
        for type in snapshot.types {
            for record in snapshot.records(of: type) { models["\(type)/\(record.id)"] = record.values }
        }
        return models
    }

    func digestsMatch() -> Bool {
        let snapshot = cache.snapshot()
        return snapshot.types.allSatisfy { type in
            snapshot.records(of: type).reduce(0) { $0 &+ $1.digest } == cache.digest(of: type)
        }
    }
}
