import ModelRecord
import ModelSync
import Testing

/// The check is held against histories that are wrong in one way each: one that accepts everything shows nothing.
@Suite struct LinearizabilityTests {
    private let one = ModelKey(type: "Item", id: "1")
    private let two = ModelKey(type: "Other", id: "2")

    private func write(
        _ times: ClosedRange<UInt64>, at stamp: Stamp?, _ steps: ModelStep..., before: Sighting? = nil
    ) -> WriteEvent {
        WriteEvent(
            client: 1, interval: Interval(invoked: times.lowerBound, responded: times.upperBound), stamp: stamp,
            steps: steps, before: before)
    }

    private func merge(_ key: ModelKey, _ value: Int64, field: String = "a") -> ModelStep {
        ModelStep(key: key, write: .merge, fields: [field: .int(value)])
    }

    private func read(
        _ times: ClosedRange<UInt64>, _ seen: [ModelKey: Sighting], mayLack: Bool = false
    ) -> ReadEvent {
        ReadEvent(
            client: 2, interval: Interval(invoked: times.lowerBound, responded: times.upperBound), call: "read",
            seen: seen, mayLack: mayLack)
    }

    private func saw(_ value: Int64?) -> Sighting { .exactly(value.map { ["a": .int($0)] }) }

    private func violation(
        _ writes: [WriteEvent], _ reads: [ReadEvent], isReplica: Bool = false
    ) -> String? {
        let history = History(writes: writes, reads: isReplica ? [] : reads, replicaReads: isReplica ? reads : [])
        do {
            try HistoryCheck(history).check()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `reads that overlap a write may see it or not, in any order that goes on`() {
        let writes = [write(1...10, at: 5, merge(one, 1)), write(20...30, at: 6, merge(one, 2))]
        #expect(violation(writes, [read(2...3, [one: saw(nil)]), read(4...5, [one: saw(1)])]) == nil)
        #expect(violation(writes, [read(11...25, [one: saw(2)]), read(12...22, [one: saw(1)])]) == nil)
        #expect(violation(writes, [read(11...12, [one: saw(1)]), read(31...32, [one: saw(2)])]) == nil)
    }

    @Test func `a stale read is found`() {
        let writes = [write(1...2, at: 5, merge(one, 1)), write(3...4, at: 6, merge(one, 2))]
        let found = violation(writes, [read(5...6, [one: saw(1)])])
        #expect(found?.contains("no place") == true)
        #expect(found?.contains("stale") == true)
        #expect(violation(writes, [read(5...6, [one: saw(nil)])])?.contains("stale, since the beginning") == true)
    }

    @Test func `a read of what has not begun is found`() {
        let writes = [write(1...2, at: 5, merge(one, 1)), write(7...8, at: 6, merge(one, 2))]
        #expect(violation(writes, [read(3...4, [one: saw(2)])])?.contains("only later") == true)
        #expect(violation(writes, [read(3...4, [one: saw(2)])], isReplica: true)?.contains("only later") == true)
    }

    @Test func `reads that go back are found, in a replica too`() {
        let writes = [write(1...2, at: 5, merge(one, 1)), write(3...20, at: 6, merge(one, 2))]
        let reads = [read(4...5, [one: saw(2)]), read(6...7, [one: saw(1)])]
        for isReplica in [false, true] {
            let found = violation(writes, reads, isReplica: isReplica)
            #expect(found?.contains("after: client 2 4–5") == true)
        }
        #expect(violation(writes, [read(30...31, [one: saw(1)])], isReplica: true) == nil)
        #expect(violation(writes, [reads[0], read(5...7, [one: saw(1)])]) == nil)
    }

    @Test func `a value out of thin air is found`() {
        let writes = [write(1...2, at: 5, merge(one, 1))]
        #expect(violation(writes, [read(1...4, [one: saw(3)])])?.contains("never was that") == true)
        let both: Sighting = .exactly(["a": .int(1), "b": .int(9)])
        #expect(violation(writes, [read(1...4, [one: both])], isReplica: true)?.contains("never was that") == true)
    }

    @Test func `half of a step is found`() {
        let writes = [
            write(1...2, at: 5, merge(one, 1), merge(one, 2, field: "b"), merge(two, 1)),
            write(10...20, at: 7, merge(one, 3), merge(two, 3)),
        ]
        #expect(violation(writes, [read(1...4, [one: saw(1)])])?.contains("never was that") == true)
        let old: Sighting = .exactly(["a": .int(1), "b": .int(2)])
        let new: Sighting = .exactly(["a": .int(3), "b": .int(2)])
        for isReplica in [false, true] {
            // Each model alone may have been like that.
            #expect(violation(writes, [read(11...12, [one: new]), read(11...12, [two: saw(1)])]) == nil)
            for cut in [[one: new, two: saw(1)], [one: old, two: saw(3)]] {
                #expect(violation(writes, [read(11...12, cut)], isReplica: isReplica)?.contains("no place") == true)
            }
            for cut in [[one: new, two: saw(3)], [one: old, two: saw(1)]] {
                #expect(violation(writes, [read(11...12, cut)], isReplica: isReplica) == nil)
            }
        }
    }

    @Test func `a cut that shows the later of two writes and not the earlier is found`() {
        let writes = [write(1...10, at: 5, merge(one, 1)), write(1...10, at: 6, merge(two, 2))]
        let cut = [one: saw(nil), two: saw(2)]
        #expect(violation(writes, [read(2...3, cut)])?.contains("no place") == true)
        // Types travel apart.
        #expect(violation(writes, [read(2...3, cut)], isReplica: true) == nil)
    }

    @Test func `a replica that is not live may lack a write before one that it shows`() {
        let writes = [
            write(1...2, at: 5, merge(one, 1)),
            write(3...4, at: 6, ModelStep(key: one, write: .replace, fields: ["c": .int(2)]), merge(two, 2)),
            write(5...6, at: 7, merge(one, 3, field: "b")),
        ]
        // The second is lost until later.
        let lacking: Sighting = .exactly(["a": .int(1), "b": .int(3)])
        let typed: Sighting = .fields(["b": .int(3), "c": .null])
        let whole: Sighting = .exactly(["b": .int(3), "c": .int(2)])
        for sighting in [lacking, typed] {
            let seen = [one: sighting, two: saw(nil)]
            let after = read(9...10, [one: whole, two: saw(2)])
            #expect(violation(writes, [read(7...8, seen, mayLack: true), after], isReplica: true) == nil)
            #expect(violation(writes, [read(7...8, seen), after], isReplica: true)?.contains("never was") == true)
        }
        #expect(violation(writes, [read(7...8, [one: saw(1)]), read(9...10, [one: lacking])], isReplica: true) != nil)
    }

    @Test func `what a replica that is not live may not show is found`() {
        let both: Contents = ["a": .int(2), "b": .int(3)]
        let writes = [
            write(1...2, at: 5, merge(one, 1)), write(3...4, at: 6, merge(one, 2)),
            write(5...6, at: 7, merge(one, 3, field: "b")),
            write(20...30, at: 8, ModelStep(key: one, write: .delete, fields: [:])),
        ]
        func check(_ seen: Contents?, after: Contents? = nil) -> String? {
            let first = after.map { [read(7...8, [one: .exactly($0)])] } ?? []
            return violation(writes, first + [read(9...10, [one: .exactly(seen)], mayLack: true)], isReplica: true)
        }
        #expect(check(["b": .int(3)]) == nil)
        #expect(check(["a": .int(1), "b": .int(3)]) == nil)
        // A value that nobody wrote, in a field that nobody wrote, too.
        #expect(check(["a": .int(9)])?.contains("never was that") == true)
        #expect(check(["z": .int(1)])?.contains("never was that") == true)
        // One field goes back, becomes unknown, or the model goes before its delete has begun.
        #expect(check(["a": .int(1), "b": .int(3)], after: both)?.contains("stale, since") == true)
        #expect(check(["a": .int(2)], after: both)?.contains("stale, since") == true)
        #expect(check(nil, after: both)?.contains("stale, since") == true)
        #expect(check(nil) == nil)
        let old = read(9...10, [one: .fields(["a": .int(1)])], mayLack: true)
        #expect(violation(writes, [read(7...8, [one: .exactly(both)]), old], isReplica: true) != nil)
    }

    @Test func `a read is held to less where its copy was not live, or contact broke meanwhile`() {
        func entry(_ times: ClosedRange<UInt64>, isLive: Bool = true, breaks: UInt64) -> ContactLog.Entry {
            ContactLog.Entry(
                interval: Interval(invoked: times.lowerBound, responded: times.upperBound), isLive: isLive,
                breakCount: breaks)
        }
        var log = ContactLog()
        log.note(entry(2...3, breaks: 1))
        log.note(entry(10...11, breaks: 1))
        log.note(entry(20...21, isLive: false, breaks: 2))
        log.note(entry(30...31, breaks: 3))
        // A goodbye.
        log.note(entry(40...41, isLive: false, breaks: 3))
        log.note(entry(50...51, isLive: false, breaks: 3))
        func mayLack(_ times: ClosedRange<UInt64>) -> Bool {
            log.mayLack(Interval(invoked: times.lowerBound, responded: times.upperBound))
        }
        #expect(!mayLack(4...5))
        for times: ClosedRange<UInt64> in [32...33, 39...43, 42...43] { #expect(!mayLack(times)) }
        // Before anything is known, as contact is lost, while it is, as it comes back, and when nothing more is known.
        for times: ClosedRange<UInt64> in [1...5, 12...13, 9...22, 22...23, 22...33, 52...53] {
            #expect(mayLack(times))
        }
    }

    @Test func `stamps against real time are found`() {
        let writes = [write(1...2, at: 6, merge(one, 1)), write(3...4, at: 5, merge(one, 2))]
        #expect(violation(writes, [])?.contains("the smaller stamp") == true)
        let twins = [write(1...4, at: 6, merge(one, 1)), write(3...4, at: 6, merge(one, 2))]
        #expect(violation(twins, [])?.contains("one stamp") == true)
    }

    @Test func `a write that is in no commit is found`() {
        #expect(violation([write(1...2, at: nil, merge(one, 1))], [])?.contains("lost") == true)
    }

    @Test func `an update that missed a write is found`() {
        let first = write(1...2, at: 5, merge(one, 1))
        let sound = write(3...4, at: 6, merge(one, 2), before: .fields(["a": .int(1)]))
        #expect(violation([first, sound], []) == nil)
        let torn = write(3...4, at: 7, merge(one, 3), before: .fields(["a": .int(1)]))
        #expect(violation([first, sound, torn], [])?.contains("a write came between") == true)
    }

    @Test func `an outcome says something of the state too`() {
        let writes = [write(1...2, at: 5, merge(one, 1)), write(10...20, at: 6, merge(one, 2))]
        let same: Sighting = .unchanged(by: [merge(one, 1)])
        #expect(violation(writes, [read(3...4, [one: same])]) == nil)
        #expect(violation(writes, [read(21...22, [one: same])])?.contains("no place") == true)
        let refused: Sighting = .refusing(field: "a", .int(2))
        #expect(violation(writes, [read(3...4, [one: refused])]) == nil)
        #expect(violation(writes, [read(21...22, [one: refused])])?.contains("no place") == true)
        let gone = ModelStep(key: one, write: .delete, fields: [:])
        #expect(violation(writes, [read(3...4, [one: .unchanged(by: [gone])])])?.contains("no place") == true)
    }

    @Test func `every write does to a model what it is named after`() {
        let old: Contents = ["a": .int(1), "b": .null]
        func result(_ write: Write, _ fields: Contents, of contents: Contents?) -> Contents? {
            ModelStep(key: one, write: write, fields: fields).applied(to: contents)
        }
        #expect(result(.merge, ["b": .undefined, "c": .int(2)], of: old) == ["a": .int(1), "c": .int(2)])
        #expect(result(.merge, [:], of: nil) == [:])
        #expect(result(.assign, ["c": .int(2), "d": .undefined], of: old) == ["c": .int(2)])
        #expect(result(.replace, ["c": .int(2)], of: old) == ["c": .int(2)])
        #expect(result(.delete, [:], of: old) == nil)
    }
}
