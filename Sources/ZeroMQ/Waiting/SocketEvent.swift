internal import CLibZMQ

/// Something that happened to a connection of a monitored socket.
public struct SocketEvent: Hashable, Sendable {
    /// The kind of an event.
    public enum Kind: Hashable, Sendable {
        case listening
        case bindFailed(ZeroMQError.Code)
        case accepted
        case acceptFailed(ZeroMQError.Code)
        /// The transport is connected. The handshake follows.
        case connected
        /// The attempt to connect goes on in the background. This is no failure.
        case connectDelayed
        /// An attempt failed, and the next one comes after this time. A host name that does not resolve causes only
        /// these events.
        case connectRetried(after: Duration)
        case closed
        case closeFailed(ZeroMQError.Code)
        case disconnected
        /// The peer speaks ZMTP and, with CURVE, was accepted. Messages can flow.
        case handshakeSucceeded
        case handshakeFailed(HandshakeFailure)
        /// The last event of a monitor.
        case monitorStopped
        /// An event that a newer libzmq may have.
        case other(event: UInt16, value: UInt32)
    }

    /// Why a handshake failed.
    public enum HandshakeFailure: Hashable, Sendable {
        /// The connection broke off: the peer does not speak ZMTP, did not answer in time, or refused this side without
        /// a reason.
        case noDetail(ZeroMQError.Code)
        /// The peer broke the rules of ZMTP or of ZAP.
        case protocolError(ProtocolError)
        /// The handler refused the client with this ZAP status: 300 (try later), 400 (no), 500 (handler broken).
        case refused(status: Int)
    }

    /// libzmq's number for a broken rule of the protocol: an open set.
    public struct ProtocolError: RawRepresentable, Hashable, Sendable {
        /// The number.
        public let rawValue: UInt32

        /// Makes the value of a number.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The two sides are configured for different security mechanisms.
        public static let mechanismMismatch = ProtocolError(rawValue: 0x1100_0002)
        /// A CURVE box could not be opened: the client has the wrong server key.
        public static let cryptographic = ProtocolError(rawValue: 0x1100_0001)
    }

    /// The kind of the event.
    public let kind: Kind
    /// The endpoint that libzmq reports with the event.
    public let endpoint: String
    /// The descriptor of the connection that was accepted, or has ended; nil with other events. By the time that the
    /// event is read another connection may have it.
    public let descriptor: Int32?

    init(event: UInt16, value: UInt32, endpoint: String) {
        self.endpoint = endpoint
        let isOfOne = [ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_DISCONNECTED].contains(CInt(event))
        descriptor = isOfOne ? Int32(truncatingIfNeeded: value) : nil
        let code = ZeroMQError.Code(rawValue: CInt(truncatingIfNeeded: value))
        kind =
            switch CInt(event) {
            case ZMQ_EVENT_LISTENING: .listening
            case ZMQ_EVENT_BIND_FAILED: .bindFailed(code)
            case ZMQ_EVENT_ACCEPTED: .accepted
            case ZMQ_EVENT_ACCEPT_FAILED: .acceptFailed(code)
            case ZMQ_EVENT_CONNECTED: .connected
            case ZMQ_EVENT_CONNECT_DELAYED: .connectDelayed
            case ZMQ_EVENT_CONNECT_RETRIED: .connectRetried(after: .milliseconds(value))
            case ZMQ_EVENT_CLOSED: .closed
            case ZMQ_EVENT_CLOSE_FAILED: .closeFailed(code)
            case ZMQ_EVENT_DISCONNECTED: .disconnected
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .handshakeSucceeded
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: .handshakeFailed(.noDetail(code))
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
                .handshakeFailed(.protocolError(ProtocolError(rawValue: value)))
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .handshakeFailed(.refused(status: Int(value)))
            case ZMQ_EVENT_MONITOR_STOPPED: .monitorStopped
            default: .other(event: event, value: value)
            }
    }
}
