public import ModelRecord
public import ModelWire

/// An action that a replica wants its owner to carry out.
public enum ReplicaAction: Sendable {
    /// Connect the stream socket to this endpoint, where `*` as host means the host of the control connection.
    case connectStream(SenderID, endpoint: String)
    /// Subscribe the sender's stream socket to this prefix.
    case subscribe(SenderID, prefix: [UInt8])
    /// Take back a subscription of the sender's stream socket.
    case unsubscribe(SenderID, prefix: [UInt8])
    /// Send one frame on the sender's control socket.
    case request(SenderID, payload: [UInt8])
    /// Close both connections to the sender and open the control connection anew, then call `connected`.
    case reconnect(SenderID)
    /// Log this notice: a person should hear of it.
    case notice(Notice)
    /// Models that were asked for by ``Replica/fetch(_:of:token:now:)``: those that exist.
    case fetched(token: UInt64, records: [CellRecord])
    /// A batch that is new here, in the order in which batches were accepted; only where
    /// ``ReplicaConfiguration/forwardsBatches`` is set. A part of a transaction comes when it arrives, which may be
    /// before the transaction is committed.
    case forward(topic: Topic, payload: [UInt8], origin: String, incarnation: UInt64, sequence: UInt64)
}
