/// A fault of the network between a service and a sender, or its end.
package enum BusFault: Sendable {
    case cut
    case mended
    /// Messages of the stream wait.
    case held
    case released
    /// The next batches are lost, as many as this.
    case loss(Int)
}
