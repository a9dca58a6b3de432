import Synchronization

/// A bounded number of places, of which requests that last take one each.
final class PlaceCount: Sendable {
    private let free: Atomic<Int>

    init(max: Int) { free = Atomic(max) }

    /// Does `body` with a place.
    /// - Returns: nil where none is free.
    func occupy<R, E: Error>(_ body: () async throws(E) -> R) async throws(E) -> R? {
        defer { free.add(1, ordering: .relaxed) }
        guard free.subtract(1, ordering: .relaxed).newValue >= 0 else { return nil }
        return try await body()
    }
}
