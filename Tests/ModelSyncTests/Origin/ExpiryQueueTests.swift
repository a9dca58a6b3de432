import ModelRecord
import TestSupport
import Testing

@testable import ModelSync

@Suite struct ExpiryQueueTests {
    @Test func `a queue gives each model once, none early and none late, whatever is noted`() {
        forEachSeed(300) { _, generator in
            var queue = ExpiryQueue()
            var dues: [ModelKey: UInt64] = [:]
            var now: UInt64 = 0
            for _ in 0..<200 {
                let key = ModelKey(type: "T", id: "\(Int.random(in: 0..<12, using: &generator))")
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    let due = now + UInt64.random(in: 0...50, using: &generator)
                    queue.note(key, dueAt: due)
                    dues[key] = min(dues[key] ?? .max, due)
                } else {
                    now += UInt64.random(in: 0...20, using: &generator)
                    var taken: Set<ModelKey> = []
                    while let (key, _) = queue.take(now: now) { try #require(taken.insert(key).inserted) }
                    try #require(taken == Set(dues.filter { $0.value <= now }.keys))
                    for key in taken { dues[key] = nil }
                }
                try #require(queue.count == dues.count)
            }
        }
    }

    @Test func `two models whose ids are equal as texts, and not as bytes, end both`() {
        var queue = ExpiryQueue()
        for (id, due) in [(twins.0, 5), (twins.1, 9)] as [(String, UInt64)] {
            queue.note(ModelKey(type: "T", id: id), dueAt: due)
        }
        let taken = (0..<3).map { _ in queue.take(now: 10).map { ExactText($0.key.id) } }
        #expect(taken == [ExactText(twins.0), ExactText(twins.1), nil])
    }

    @Test func `an end that is moved 100,000 times takes the room of one`() {
        var queue = ExpiryQueue()
        for number in 0..<100_000 { queue.note(ModelKey(type: "T", id: "1"), dueAt: UInt64(number) + 1) }
        #expect(queue.count == 1 && queue.entryCount == 1)
    }
}
