import Dispatch
import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Batches whose changes are told: records that nobody has are written over all the same, and who is told sees what
/// was.
@Suite(.timeLimit(.minutes(15)))
struct WatchedBatchesTests {
    @Test func `every observer is told the old and the new state of each change, however late it looks`() {
        forEachSeed(300) { _, random in
            var play = WatchedBatchesPlay()
            for _ in 0..<60 {
                play.changeWatchers(&random)
                try play.commit(&random)
            }
            try play.check()
        }
    }

    private let cache = ModelCache()
    private let table: ModelTable

    init() { table = cache.table("User") }

    /// One batch that gives model 1 these ages, one after the other, and model 2 the first.
    private func set(_ ages: [Int64]) {
        var batch = TestBatch()
        let stamp = Stamp(ages.max() ?? 0) << 40
        for (position, age) in ages.enumerated() {
            batch.add(.merge, "1", ["age": .int(age), "name": "Ann"], at: stamp + Stamp(position))
        }
        batch.add(.merge, "2", ["age": .int(ages[0])], at: stamp)
        _ = batch.commit(to: cache, in: table)
    }

    @Test func `a record that is watched is written over where it is unless a change of it has yet to be told`() {
        for age in 1...3 { set([Int64(age)]) }
        let kept = Guarded<ChangeSet?>(nil)
        let interests: [Interest] = [.everything, .type("User"), .model(type: "User", id: "1")]
        for (number, interest) in interests.enumerated() {
            let observation = cache.observe(interest, inline: { set in kept.withLock { $0 = set } })
            kept.withLock { $0 = nil }
            let address = table.address(of: "1")
            let age = Int64(10 * number + 10)
            set([age])
            // An observer with an inbox of its own gets records of its own.
            let isAlone = if case .model = interest { true } else { false }
            #expect((table.address(of: "1") == address) == !isAlone)
            set([age + 1])
            let changes = kept.withLock { $0.take() }
            #expect(changes?[0].old?["age"] == .int(age))
            #expect(changes?[0].new?["age"] == .int(age + 1))
            #expect(changes?[0].changedFields == ["age"])
            // What is told stays as it is.
            set([age + 2])
            #expect(changes?[0].old?["age"] == .int(age))
            #expect(changes?[0].new?["age"] == .int(age + 1))
            observation.cancel()
            kept.withLock { $0 = nil }
        }
    }

    @Test func `observers of single models on a queue leave records where they are, too`() {
        for age in 1...3 { set([Int64(age)]) }
        let queue = DispatchQueue(label: "models")
        let told = Guarded<[String]>([])
        let observation = cache.observe(.model(type: "User", id: "1"), on: queue) { set in
            told.withLock { $0 += set.map { "\($0.old?["age"]?.intValue ?? 0) \($0.new?["age"]?.intValue ?? 0)" } }
        }
        queue.sync {}
        let address = table.address(of: "1")
        for age in 4...6 {
            set([Int64(age)])
            queue.sync {}
            #expect(table.address(of: "1") == address)
        }
        #expect(told.withLock { $0 } == ["0 3", "3 4", "4 5", "5 6"])
        withExtendedLifetime(observation) {}
    }

    @Test func `a fold of records that were written over goes from what was told last to the newest`() {
        let queue = DispatchQueue(label: "slow")
        let count = 6_000
        func setAll(_ age: Int64) {
            for start in stride(from: 0, to: count, by: 250) {
                var batch = TestBatch()
                for id in start..<(start + 250) {
                    batch.add(.merge, "\(id)", ["age": .int(age), "name": "Ann"], at: Stamp(age) << 40 + Stamp(id))
                }
                _ = batch.commit(to: cache, in: table)
            }
        }
        for age in 1...3 { setAll(Int64(age)) }
        let told = Guarded<[String: [Int64]]>([:])
        let observations = [.type("User"), .model(type: "User", id: "7")].map { (interest: Interest) in
            cache.observe(interest, on: queue) { set in
                guard !set.isInitial else { return }
                for change in set {
                    let ages = [change.old, change.new].map { $0?["age"]?.intValue ?? 0 }
                    told.withLock { $0["\(interest) \(change.id)", default: []] += ages }
                }
            }
        }
        for _ in 0..<3 { queue.sync {} }
        queue.suspend()
        for age in 4...6 { setAll(Int64(age)) }
        queue.resume()
        let deadline = ContinuousClock.now + .seconds(60)
        while told.withLock({ $0.count }) <= count, ContinuousClock.now < deadline { queue.sync {} }
        for observation in observations { observation.cancel() }
        let all = told.withLock { $0 }
        #expect(all.count == count + 1)
        for (key, ages) in all {
            #expect(ages.first == 3 && ages.last == 6, "\(key) was told \(ages)")
            // Each step starts where the one before has ended.
            for step in stride(from: 2, to: ages.count, by: 2) { #expect(ages[step] == ages[step - 1], "\(key)") }
        }
        #expect(all.values.contains { $0.count == 2 }, "nothing was folded")
    }

    @Test func `a model that a batch changes twice is told once, and not where it is back at what it was`() {
        set([1])
        let told = Guarded<[String]>([])
        let observation = cache.observe(
            .model(type: "User", id: "1"),
            inline: { set in
                told.withLock { $0 += set.map { "\($0.old?["age"]?.intValue ?? 0) \($0.new?["age"]?.intValue ?? 0)" } }
            })
        set([2, 3])
        set([4, 3])
        #expect(told.withLock { $0 } == ["0 1", "1 3"])
        #expect(table["1"]?["age"] == 3)
        withExtendedLifetime(observation) {}
    }
}
