/// The change streams of a cache, to end them all when nothing will change any more.
final class StreamList: Sendable {
    fileprivate struct Weak { weak var inbox: Inbox? }

    fileprivate struct State {
        var streams: [Weak] = []
        /// When those that have gone are looked for.
        var limit = 16
        var hasEnded = false
    }

    private let state = Guarded(State())

    /// Takes a stream in; one that comes after the end is told what there is, and ends.
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
