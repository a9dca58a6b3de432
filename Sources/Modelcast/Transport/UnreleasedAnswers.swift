import ModelCache
import ModelSync
import ZeroMQ

/// The answers that were made for peers and have not left this process. A message counts from its making until the
/// transport releases its bytes; the reports of peers do not count.
///
/// A transport releases on other threads, and the machine belongs to one. So departures wait here until the machine's
/// thread takes them.
final class UnreleasedAnswers: Sendable {
    private struct State {
        var byteCount = 0
        var departures: [ReleasedMessage] = []
        /// The bytes of ``departures``.
        var departedByteCount = 0
        /// The greatest ``byteCount`` since memory was last given back.
        var peak = 0
        /// Nearly all of a large amount has left.
        var isSpent: Bool { peak >= UnreleasedAnswers.peakMin && byteCount <= peak / 8 }
    }

    private let state = Guarded(State())
    private let byteCountMax: Int
    private let waker: Waker

    /// - Parameter waker: is called when enough has left for an answer that may wait for it.
    init(byteCountMax: Int, waker: Waker) {
        self.byteCountMax = byteCountMax
        self.waker = waker
    }

    /// Something has left, or so much is under way that a peer may have to be cut.
    var isToBeLookedAt: Bool {
        state.withLock { !$0.departures.isEmpty || $0.byteCount > byteCountMax / 4 }
    }

    /// The departures since the last call. When nearly all of a large amount has left, memory is given back to the
    /// system: otherwise memory that other threads release stays with the process.
    func takeReleased() -> [ReleasedMessage] {
        let (departures, isSpent) = state.withLock { state in
            defer { (state.departures, state.departedByteCount) = ([], 0) }
            guard state.isSpent else { return (state.departures, false) }
            state.peak = state.byteCount
            return (state.departures, true)
        }
        if isSpent { SocketMemory.giveBack() }
        return departures
    }

    /// How many bytes have to leave before the thread is woken. Small replies have left when it comes by itself.
    private static let wakingByteCount = 2 << 10
    /// The peak in bytes below which giving memory back is not worth the walk through all memory.
    private static let peakMin = 16 << 20

    /// Makes a message for a peer, which counts until it is released.
    func load(_ payload: [UInt8], for peer: [UInt8]) -> HeldMessage {
        state.withLock { state in
            state.byteCount += payload.count + ReleasedMessage.overheadByteCount
            state.peak = max(state.peak, state.byteCount)
        }
        return HeldMessage(payload) { self.unload($0, of: peer) }
    }

    private func unload(_ byteCount: Int, of peer: [UInt8]) {
        let isEnough = state.withLock { state in
            state.byteCount -= byteCount + ReleasedMessage.overheadByteCount
            state.departures.append(ReleasedMessage(peer: peer, byteCount: byteCount))
            let before = state.departedByteCount
            state.departedByteCount += byteCount
            return before < UnreleasedAnswers.wakingByteCount
                && state.departedByteCount >= UnreleasedAnswers.wakingByteCount
        }
        if isEnough { waker.wake() }
    }
}
