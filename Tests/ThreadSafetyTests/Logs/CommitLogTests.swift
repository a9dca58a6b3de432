import ModelCache
import ModelRecord
import Testing

/// The log and what is held against it, with logs and observers that are wrong in one way each.
@Suite struct CommitLogTests {
    private let key = ModelKey(type: "Item", id: "1")

    private func commit(_ number: UInt64, _ value: Int64, at stamp: Stamp, _ id: String = "1") -> LoggedCommit {
        let update = LoggedUpdate(
            key: ModelKey(type: "Item", id: id), operation: .merge, fields: ["a": .int(value)],
            version: Version(stamp: stamp, origin: "w"))
        return LoggedCommit(number: number, updates: [update])
    }

    private func violation(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func set(_ number: UInt64, isInitial: Bool = false, from old: Int64?, to new: Int64?) -> ToldSet {
        let entry = ToldSet.Entry(
            key: key, old: old.map { ["a": .int($0)] }, new: new.map { ["a": .int($0)] }, isFolded: false,
            fields: ["a"])
        return ToldSet(commitNumber: number, isInitial: isInitial, entries: [entry])
    }

    @Test func `a commit without a number of its own is found`() {
        #expect(violation { _ = try CommitLog([commit(1, 1, at: 1), commit(3, 2, at: 2)]) } != nil)
        #expect(violation { _ = try CommitLog([commit(1, 1, at: 1), commit(1, 2, at: 2)]) } != nil)
        #expect(violation { _ = try CommitLog([commit(2, 2, at: 2), commit(1, 1, at: 1)]) } == nil)
    }

    @Test func `a snapshot that is not the log up to its commit is found`() throws {
        let log = try CommitLog([commit(1, 1, at: 1), commit(2, 2, at: 2), commit(3, 9, at: 1)])
        func check(_ number: UInt64, _ value: Int64?) -> String? {
            let models = value.map { [key: ["a": Value.int($0)]] } ?? [:]
            return violation { try log.check([SeenSnapshot(commitNumber: number, models: models)]) }
        }
        #expect(check(0, nil) == nil)
        #expect(check(1, 1) == nil)
        #expect(check(2, 2) == nil)
        #expect(check(3, 2) == nil, "a late update changes nothing")
        #expect(check(1, 2)?.contains("snapshot of commit 1") == true)
        #expect(check(2, 1)?.contains("snapshot of commit 2") == true)
        #expect(check(2, nil)?.contains("snapshot of commit 2") == true)
        #expect(check(4, 2)?.contains("nobody made") == true)
    }

    @Test func `an observer that was told too little, too much or something else is found`() throws {
        let log = try CommitLog((1...4).map { commit($0, Int64($0), at: $0) } + [commit(5, 1, at: 9, "2")])
        func check(_ told: [ToldSet], _ interest: Interest = .model(type: "Item", id: "1")) -> String? {
            violation { try log.check(told, interest, isComplete: true) }
        }
        let sound = [
            set(2, isInitial: true, from: nil, to: 2), set(3, from: 2, to: 3), set(4, from: 3, to: 4),
        ]
        #expect(check(sound) == nil)
        #expect(check(Array(sound.dropLast()))?.contains("not told the last") == true)
        #expect(check([sound[0], sound[2]])?.contains("left out or folded") == true)
        #expect(check([sound[0], sound[1], sound[1], sound[2]])?.contains("out of order") == true)
        #expect(check([sound[0], sound[2], sound[1]]) != nil)
        #expect(
            check([set(2, isInitial: true, from: nil, to: 1), sound[1], sound[2]])?.contains("initial state") == true)
        #expect(check([sound[0], set(3, from: 1, to: 3), sound[2]])?.contains("does not lead") == true)
        #expect(check([sound[0], set(3, from: 2, to: 4), sound[2]])?.contains("does not lead") == true)
        #expect(check(sound, .type("Other"))?.contains("initial state") == true)
        #expect(check(sound, .everything)?.contains("not told the last") == true)
        #expect(check(sound + [set(5, from: 4, to: 5)])?.contains("left out or folded") == true)
    }
}
