/// An action that a pusher wants its owner to carry out.
public enum PusherAction: Sendable {
    /// Send one frame on the relay's control socket.
    case request(relay: Int, payload: [UInt8])
    /// Close the control connection to the relay and open it anew, then call `connected`.
    case reconnect(relay: Int)
    /// A relay lacks what earlier starts have written of these models. Have the origin send that again
    /// (``Origin/sendAgain(_:type:now:)``), push the batches, and tell what it could not send
    /// (``Pusher/cannotSendAgain(_:type:reason:)``).
    case sendAgain(type: String, ids: [String])
    /// A relay refuses a batch because its stamp lies too far ahead of the clock of the relay. Where the origin then
    /// starts anew (``Origin/startAnewIfRefused(taken:now:)``), call ``Pusher/beginAnew(giving:)``, else
    /// ``Pusher/tryAgain(_:)``.
    case clockRefused(ClockRefusal)
    /// Log this notice: a person should hear of it.
    case notice(Notice)
}
