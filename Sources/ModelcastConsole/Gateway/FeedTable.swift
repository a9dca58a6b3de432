import Synchronization

/// The event streams of a console. Each has a bell, which rings when its cache has changes, and once a second.
final class FeedTable: Sendable {
    private struct Seat {
        let bell: AsyncStream<Void>.Continuation
        let isStillAllowed: @Sendable () -> Bool
    }

    private struct State {
        var seats: [Int: Seat] = [:]
        var next = 0
        var isEnding = false
    }

    private let state = Mutex(State())
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    /// A place among the streams, until it is released.
    final class Admission: Sendable {
        /// Ends where the stream is to end.
        let bells: AsyncStream<Void>
        private let bell: AsyncStream<Void>.Continuation
        private let table: FeedTable
        private let number: Int

        fileprivate init(
            _ bells: AsyncStream<Void>, _ bell: AsyncStream<Void>.Continuation, _ table: FeedTable, _ number: Int
        ) {
            (self.bells, self.bell, self.table, self.number) = (bells, bell, table, number)
        }

        deinit { table.leave(number) }

        /// Wakes the stream. From any thread.
        var ring: @Sendable () -> Void { { [bell] in bell.yield() } }
    }

    /// A place for one more stream; nil where there is none.
    /// - Parameter isStillAllowed: asked once a second; the stream ends where it says no.
    func admit(_ isStillAllowed: @escaping @Sendable () -> Bool) -> Admission? {
        let (bells, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isEnding, state.seats.count < countMax else { return nil }
            defer { state.next += 1 }
            state.seats[state.next] = Seat(bell: bell, isStillAllowed: isStillAllowed)
            return state.next
        }
        return number.map { Admission(bells, bell, self, $0) }
    }

    private func leave(_ number: Int) { state.withLock { $0.seats[number] = nil } }

    /// How many streams there are.
    var count: Int { state.withLock { $0.seats.count } }

    /// Wakes every stream, so that it looks at the time, and ends those that are not allowed any more.
    func tick() {
        for seat in state.withLock({ Array($0.seats.values) }) {
            if seat.isStillAllowed() { seat.bell.yield() } else { seat.bell.finish() }
        }
    }

    /// Ends every stream, and lets none begin.
    func end() {
        let seats = state.withLock { state in
            state.isEnding = true
            return Array(state.seats.values)
        }
        for seat in seats { seat.bell.finish() }
    }
}
