import Dispatch
import HTTPTypes
import HummingbirdCore

/// The requests that look at everything there is: pages with conditions, and the history. One after the other, on a
/// thread of their own, so that health, streams and other requests are answered beside them.
final class ScanQueue: Sendable {
    private let queue = DispatchQueue(label: "modelcast.scans")
    /// The places of those that wait, and of the one that runs.
    private let places = PlaceCount(max: 16)

    /// Whether a scan is to go on: it is asked now and then.
    typealias IsWanted = () -> Bool

    /// Makes the answer to a request in its turn.
    ///
    /// Nothing is made for a client that has gone.
    /// - Parameter isConnected: its connection still stands.
    /// - Throws: ``Problem`` where too many wait already, and what `body` throws.
    func answer(
        while isConnected: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable (_ isWanted: IsWanted) throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        let result = await places.occupy { () -> Result<Response, Problem> in
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: ScanQueue.made(isConnected, body))
                }
            }
        }
        guard let result else {
            throw Problem(
                .serviceUnavailable, "many requests look through everything already: try again",
                headers: ModelRequests.again(after: 1))
        }
        return try result.get()
    }

    private static func made(
        _ isConnected: @escaping () -> Bool, _ body: (_ isWanted: IsWanted) throws(Problem) -> Response
    ) -> Result<Response, Problem> {
        guard isConnected() else { return .failure(gone) }
        do throws(Problem) {
            return .success(try body(isConnected))
        } catch {
            return .failure(error)
        }
    }

    /// The answer that nobody reads.
    static var gone: Problem { Problem(.serviceUnavailable, "the client has gone") }
}
