internal import CLibZMQ
internal import Synchronization

/// Wakes the ``Poller`` that it belongs to, from any thread.
///
/// Put the work where the poller's thread will look, then call ``wake()``. A wake is remembered: one that comes while
/// the thread is busy ends its next wait at once. Many wakes cost one system call, and none while the thread is not
/// asleep.
public final class Waker: Sendable {
    /// The state of the poller's thread, as one byte.
    private enum State {
        static let awake: UInt8 = 0
        static let asleep: UInt8 = 1
        static let woken: UInt8 = 2
    }

    private let state = Atomic<UInt8>(State.awake)
    let descriptor: CInt

    init() throws(ZeroMQError) {
        descriptor = try check("eventfd") { clibzmq_eventfd_open() }
    }

    deinit {
        clibzmq_eventfd_close(descriptor)
    }

    /// Ends the current or the next wait of the poller.
    ///
    /// Whatever the caller wrote before is visible to the thread that wakes.
    public func wake() {
        if state.exchange(State.woken, ordering: .acquiringAndReleasing) == State.asleep {
            clibzmq_eventfd_signal(descriptor)
        }
    }

    /// Returns whether a wake has come since the last one was taken. Afterwards the thread counts as awake.
    func takeWake() -> Bool {
        state.exchange(State.awake, ordering: .acquiringAndReleasing) == State.woken
    }

    /// Announces that the thread is about to sleep. Returns false when a wake is there already, and leaves it there.
    func prepareToSleep() -> Bool {
        state.compareExchange(expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing).exchanged
    }

    /// Makes the descriptor unreadable again. A wake may be taken before its signal arrives. That signal ends the next
    /// sleep without a cause, which the poller notices by ``takeWake()``.
    func drain() {
        clibzmq_eventfd_drain(descriptor)
    }
}
