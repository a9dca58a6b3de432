public import ModelWire

/// An action that an origin wants its owner to carry out.
public enum OriginAction: Sendable {
    /// Send two frames, `topic` and `payload`, on the stream.
    case publish(topic: Topic, payload: [UInt8])
    /// Send one frame to the peer with this routing identity on the control socket.
    case reply(peer: [UInt8], payload: [UInt8])
    /// Log this notice: a person should hear of it.
    case notice(Notice)
}
