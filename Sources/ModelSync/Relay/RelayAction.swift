public import ModelWire

/// An action that a relay wants its owner to carry out.
public enum RelayAction: Sendable {
    /// Do this towards the senders, as for any replica. Never `forward`, which the relay does itself.
    case replica(ReplicaAction)
    /// Send two frames, `topic` and `payload`, on the relay's own stream.
    case publish(topic: Topic, payload: [UInt8])
    /// Send one frame to the peer with this routing identity on the control socket.
    case reply(peer: [UInt8], payload: [UInt8])
    /// Make a pushed batch durable, then call ``RelayMachine/persisted(_:now:)`` or
    /// ``RelayMachine/persistFailed(_:reason:now:)``.
    /// May come again for a batch that is durable already.
    case persist(
        token: UInt64, topic: Topic, payload: [UInt8], origin: String, incarnation: UInt64, sequence: UInt64)
}
