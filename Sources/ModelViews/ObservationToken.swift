/// A registration that lasts until it is cancelled or released.
public protocol ObservationToken: AnyObject, Sendable {
    /// Ends it. Twice is harmless.
    func cancel()
}
