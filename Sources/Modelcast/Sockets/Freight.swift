import ModelSync
import Synchronization
import ZeroMQ

/// What has been made for peers and has not left this process: counted from the making of a message until libzmq lets
/// go of it. What a peer says of that is not believed.
///
/// libzmq lets go on a thread of its own, and the machine that is told belongs to another: departures wait here for it.
final class Freight: Sendable {
    private struct State {
        var byteCount = 0
        var departures: [Departure] = []
        /// The bytes of these.
        var departedByteCount = 0
        /// The most that was under way since memory was given back.
        var peak = 0
        /// Nearly all of it has left.
        var isSpent: Bool { peak >= Freight.peakMin && byteCount <= peak / 8 }
    }

    private let state = Mutex(State())
    private let byteCountMax: Int
    private let waker: Waker

    /// - Parameter waker: woken when something has left for which somebody may wait.
    init(byteCountMax: Int, waker: Waker) {
        self.byteCountMax = byteCountMax
        self.waker = waker
    }

    /// Something has left, or so much is under way that somebody may have to be cut.
    var isToBeLookedAt: Bool {
        state.withLock { !$0.departures.isEmpty || $0.byteCount > byteCountMax / 4 }
    }

    /// What has left since the last time. When that was nearly all of much, memory is given back to the system: what
    /// libzmq's threads release stays with the process otherwise.
    func takeDepartures() -> [Departure] {
        let (departures, isSpent) = state.withLock { state in
            defer { (state.departures, state.departedByteCount) = ([], 0) }
            guard state.isSpent else { return (state.departures, false) }
            state.peak = state.byteCount
            return (state.departures, true)
        }
        if isSpent { SocketMemory.giveBack() }
        return departures
    }

    /// The thread is woken for so much. Small replies and acknowledgements have left when it comes by itself.
    private static let wakingByteCount = 2 << 10
    /// Less is not worth looking through all memory for.
    private static let peakMin = 16 << 20

    /// Counts a message for a peer, until that is released.
    func load(_ payload: [UInt8], for peer: [UInt8]) -> HeldMessage {
        state.withLock { state in
            state.byteCount += payload.count + Departure.overheadByteCount
            state.peak = max(state.peak, state.byteCount)
        }
        return HeldMessage(payload) { self.unload($0, of: peer) }
    }

    private func unload(_ byteCount: Int, of peer: [UInt8]) {
        let isEnough = state.withLock { state in
            state.byteCount -= byteCount + Departure.overheadByteCount
            state.departures.append(Departure(peer: peer, byteCount: byteCount))
            let before = state.departedByteCount
            state.departedByteCount += byteCount
            return before < Freight.wakingByteCount && state.departedByteCount >= Freight.wakingByteCount
        }
        if isEnough { waker.wake() }
    }
}
