import Logging
import ModelGrants
import ModelSync
import ModelWire
import ZeroMQ

/// The end of a transport at which a sender serves: its stream, and its control endpoint. A subscriber that can be
/// asked has only the latter.
protocol ServingEnd: AnyObject {
    /// The endpoints that were bound, with what was chosen for a `*`. The stream is that of who may read everything,
    /// and empty where there is none.
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

    /// When ``receive(subscribed:requested:)`` is to be called at the latest, on the clock of
    /// ``Moment/uptimeMicroseconds``, though nothing has arrived.
    var nextLook: UInt64 { get }

    /// The clients that were refused since the last call, by reason.
    func takeRefused() -> [RefusedClients]

    /// Hands over what has arrived, a burst of each kind.
    /// - Parameters:
    ///   - subscribed: is called with a prefix that a peer has subscribed to. From then on the stream reaches it.
    ///   - requested: is called with a request.
    func receive(subscribed: ([UInt8]) -> Void, requested: (IncomingRequest) -> Void) throws(ModelcastError)
}

/// A request as it has come.
struct IncomingRequest {
    /// The number that the transport has given the connection. A later connection has another.
    let peer: [UInt8]
    /// The owner of the connection, with what it is granted at this moment.
    var grantee = Grantee.anybody
    /// The connection is one more than the key of its owner may have.
    var isExcess = false
    /// The address of its other end, without a port; empty where it is not known.
    var address = ""
    /// Empty for a message that is none by its form.
    let payload: [UInt8]
    /// Finds the endpoint of the stream for the owner, as ``ReceivedRequest`` takes it.
    var stream: () -> String? = { nil }

    func decoded(_ limits: WireLimits) -> ReceivedRequest {
        ReceivedRequest(payload.span, limits: limits, from: grantee, at: address, isExcess: isExcess, stream: stream)
    }
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
