import ModelStore
import ModelSync
import Testing

@testable import Modelcast

/// The small machines of a publisher's socket thread.
@Suite struct PublisherLoopTests {
    @Test func `relays that were given up are tried after a pause that doubles up to a minute`() {
        var start = PushStart()
        var tries: [UInt64] = []
        for second: UInt64 in 0..<400 {
            let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: second * 1_000_000)
            if start.isDue(now: now) { tries.append(second) }
        }
        // After each try the pause begins with the next look, a second later.
        #expect(tries == [1, 4, 9, 18, 35, 68, 129, 190, 251, 312, 373])
    }

    @Test func `writers are told of a store when something has changed, and at each look while it fails`() {
        var store = StoreProgress(BatchPruner([]), incarnation: 7)
        let failure = StoreError(.refused, path: "s", "no room")
        let told = [
            store.tells(nil, heldByteCount: 0), store.tells(nil, heldByteCount: 9), store.tells(nil, heldByteCount: 9),
            store.tells(failure, heldByteCount: 9), store.tells(failure, heldByteCount: 9),
            store.tells(nil, heldByteCount: 9), store.tells(nil, heldByteCount: 9),
        ]
        #expect(told == [false, true, false, true, true, true, false])
        let begun = [7, 7, 8, 8, 9].map { store.begins($0) }
        #expect(begun == [false, false, true, false, true])
    }
}
