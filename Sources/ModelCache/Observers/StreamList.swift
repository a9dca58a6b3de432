/// The change streams of a cache. All of them end when nothing will change any more.
final class StreamList: Sendable {
    fileprivate struct Weak { weak var inbox: Inbox? }

    fileprivate struct State {
        var streams: [Weak] = []
        /// The count at which streams that have gone are removed from the list.
        var limit = 16
        var hasEnded = false
    }

    private let state = Guarded(State())

    /// Adds a stream. A stream that comes after the end is told the changes that wait, and ends.
    func add(_ inbox: Inbox) {
        let hasEnded = state.withLock { state in
            if state.hasEnded { return true }
            if state.streams.count >= state.limit {
                state.streams.removeAll { $0.inbox == nil }
                state.limit = max(16, state.streams.count * 2)
            }
            state.streams.append(Weak(inbox: inbox))
            return false
        }
        if hasEnded { inbox.finish() }
    }

    func end() {
        let streams = state.withLock { state in
            state.hasEnded = true
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.inbox?.finish() }
    }
}
