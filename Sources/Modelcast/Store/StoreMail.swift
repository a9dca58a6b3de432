import ModelCache
import ModelStore
import ZeroMQ

/// Messages from the queue of a store to a service, until its socket thread takes them.
final class StoreMail: Sendable {
    /// The messages since the last call.
    struct Letters: Sendable {
        /// Durable commits that have ended, by the number under which they were begun, in order.
        var completions: [(token: UInt64, error: StoreError?)] = []
        var events: [StoreEvent] = []

        var isEmpty: Bool { completions.isEmpty && events.isEmpty }
    }

    private struct State {
        var letters = Letters()
        var waker: Waker?
    }

    private let state = Guarded(State())

    /// Sets the waker to call from now on; nil when the socket thread ends.
    func wake(_ waker: Waker?) { state.withLock { $0.waker = waker } }

    func add(_ event: StoreEvent) { add { $0.events.append(event) } }

    func add(_ error: StoreError?, token: UInt64) { add { $0.completions.append((token, error)) } }

    /// Takes the messages that have come.
    func take() -> Letters {
        state.withLock { state in
            let letters = state.letters
            if !letters.isEmpty { state.letters = Letters() }
            return letters
        }
    }

    private func add(_ change: (inout Letters) -> Void) {
        let waker = state.withLock { state in
            change(&state.letters)
            return state.waker
        }
        waker?.wake()
    }
}
