/// A registration that lasts until it is cancelled or released.
public protocol ObservationToken: AnyObject, Sendable {
    /// Ends the registration. A second call does nothing.
    func cancel()
}
