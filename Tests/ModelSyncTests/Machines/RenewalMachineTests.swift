import ModelWire
import Testing

@testable import ModelSync

/// The requests of a renewal, without a replica around it.
@Suite struct RenewalMachineTests {
    private let users = Topic.data(type: "User")

    /// Goes on with a renewal of two senders of which the first is synced from the start, the second where `isBoth`.
    private func next(_ renewal: Renewal, at time: UInt64, isBoth: Bool = true, rid: UInt64 = 1) -> [Renewal.Step] {
        var rid = rid
        func makeRID() -> UInt64 {
            defer { rid += 1 }
            return rid
        }
        return renewal.next(
            now: time, patience: 100, isSynced: { isBoth || $0.index == 0 }, makeRID: makeRID)
    }

    @Test func `a renewal asks each sender once it is synced, and is complete with the last snapshot`() {
        let renewal = Renewal(prefixes: [users], senderCount: 2, firstRID: 1, now: 0)
        let (first, second) = (SenderID(index: 0), SenderID(index: 1))
        #expect(next(renewal, at: 0, isBoth: false) == [.ask(first, rid: 1)])
        #expect(next(renewal, at: 1, isBoth: false).isEmpty)
        #expect(next(renewal, at: 2, rid: 2) == [.ask(second, rid: 2)])
        #expect(renewal.isRequest(1, first) && renewal.isRequest(2, second))
        #expect(!renewal.isRequest(1, second) && !renewal.isRequest(3, first))
        renewal.complete(first, [])
        #expect(renewal.completeHeads == nil)
        #expect(!renewal.isRequest(1, first))
        renewal.complete(second, [])
        #expect(renewal.completeHeads?.isEmpty ?? false)
        #expect(next(renewal, at: 10_000).isEmpty)
    }

    @Test func `a renewal asks again where a snapshot does not come, and not while it is coming`() {
        let renewal = Renewal(prefixes: [users], senderCount: 1, firstRID: 1, now: 0)
        let sender = SenderID(index: 0)
        _ = next(renewal, at: 0)
        renewal.noteProgress(1, of: sender, dueAt: 150)
        #expect(next(renewal, at: 149).isEmpty)
        #expect(next(renewal, at: 150, rid: 2) == [.cancel(sender, rid: 1), .ask(sender, rid: 2)])
        #expect(renewal.endings == [.cancel(sender, rid: 2)])
    }

    @Test func `a sender that refuses its part rests, and one that is gone is asked when it is synced`() {
        let renewal = Renewal(prefixes: [users], senderCount: 1, firstRID: 1, now: 0)
        let sender = SenderID(index: 0)
        _ = next(renewal, at: 0)
        renewal.lose(sender, retryAt: 500)
        #expect(next(renewal, at: 499).isEmpty)
        #expect(next(renewal, at: 500, rid: 2) == [.ask(sender, rid: 2)])
        renewal.lose(sender, retryAt: nil)
        #expect(renewal.endings.isEmpty)
        #expect(next(renewal, at: 501, rid: 3) == [.ask(sender, rid: 3)])
    }

    @Test func `a snapshot of which records were left out is told once, and not after its sender was lost`() {
        let renewal = Renewal(prefixes: [users], senderCount: 1, firstRID: 1, now: 0)
        let sender = SenderID(index: 0)
        renewal.noteRejected(of: sender)
        #expect(renewal.takeRejected(of: sender))
        #expect(!renewal.takeRejected(of: sender))
        renewal.noteRejected(of: sender)
        renewal.lose(sender, retryAt: nil)
        #expect(!renewal.takeRejected(of: sender))
    }
}
