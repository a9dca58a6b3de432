import Logging
import ModelGrants
import ZeroMQ

/// The end of a transport at which a sender serves: its stream, and its control endpoint. A subscriber that can be
/// asked has only the latter.
protocol ServingEnd: AnyObject {
    /// The endpoints that were bound, with what was chosen for a `*`. The stream is empty where there is none.
    var bound: SenderEndpoints { get }
    /// Nil where there is no stream.
    var stream: StreamOutlet? { get }
    /// The replies that have not left the process yet.
    var freight: UnreleasedAnswers { get }

    /// Sends one reply, which counts as under way until the transport has released it.
    /// - Returns: false when the peer is gone or does not read; the reply is lost then.
    func reply(to peer: [UInt8], _ load: HeldMessage) throws(ModelcastError) -> Bool

    /// Ends the connections of these peers, and drops what waits for them. They may connect again.
    func cut(_ peers: [[UInt8]])

    /// How many clients were refused since the last call.
    func takeRefusedCount() -> UInt64

    /// Hands over what has arrived, a burst of each kind.
    /// - Parameters:
    ///   - subscribed: is called with a prefix that a peer has subscribed to. From then on the stream reaches it.
    ///   - requested: is called with the peer's identity, its owner and the request. The identity is a number that the
    ///     transport has given the connection; a later connection has another. The owner has what it was granted at
    ///     this moment. The request is empty for a message that is none by its form.
    func receive(
        subscribed: ([UInt8]) -> Void, requested: ([UInt8], Grantee, [UInt8]) -> Void
    ) throws(ModelcastError)
}

/// The settings of a serving end.
struct ServingSettings {
    var control: String
    /// Nil for no stream.
    var stream: String?
    var frameByteCount: Int
    /// The usual size of a frame of the stream, in bytes.
    var batchByteCount: Int
    /// How many bytes may wait for one slow subscriber before batches are dropped for it.
    var subscriberQueueByteCount: Int
    /// How many bytes the answers may take until the transport has released them.
    var answersByteCount: Int
    /// Nil for an end that allows every client.
    var security: Security?
    var logger: Logger
}
