internal import CLibZMQ

/// The table of all options, for documentation and tests.
public enum SocketOptions {
    /// Every static member of ``SocketOption``, once.
    public static let all: [any AnySocketOption] = [
        SocketOption.sendHighWaterMark, SocketOption.receiveHighWaterMark, SocketOption.backlog,
        SocketOption.maxMessageSize, SocketOption.sendBuffer, SocketOption.receiveBuffer,
        SocketOption.tcpKeepaliveCount,
        SocketOption.linger, SocketOption.reconnectInterval,
        SocketOption.tcpKeepaliveIdle, SocketOption.tcpKeepaliveInterval,
        SocketOption.reconnectIntervalMax, SocketOption.connectTimeout, SocketOption.handshakeInterval,
        SocketOption.tcpMaxRetransmitTimeout,
        SocketOption.immediate, SocketOption.ipv6, SocketOption.xpubVerbose, SocketOption.xpubVerboser,
        SocketOption.routerMandatory, SocketOption.curveServer, SocketOption.zapEnforceDomain,
        SocketOption.tcpKeepalive,
        SocketOption.routingID, SocketOption.zapDomain, SocketOption.lastEndpoint,
        SocketOption.curvePublicKey, SocketOption.curveServerKey, SocketOption.curveSecretKey,
        SocketOption.ioThreadAffinity, SocketOption.type, SocketOption.events, SocketOption.fileDescriptor,
    ]
}

extension SocketOption where Value == Int {
    /// Messages queued for each peer before a send would block or, on PUB and XPUB, drops; 0 is no limit. On a SUB it
    /// also limits how many subscriptions a connection sends, so there it must be 0 (row 5).
    public static var sendHighWaterMark: Self { Self("ZMQ_SNDHWM", ZMQ_SNDHWM, .count) }
    /// Received messages queued for each peer before its connection is no longer read; 0 is no limit.
    public static var receiveHighWaterMark: Self { Self("ZMQ_RCVHWM", ZMQ_RCVHWM, .count) }
    /// Connections that may wait to be accepted.
    public static var backlog: Self { Self("ZMQ_BACKLOG", ZMQ_BACKLOG, .count) }
}

extension SocketOption where Value == Int? {
    /// The greatest frame that is accepted, in bytes. A peer that sends more is cut for good (row 11). Nil: no limit.
    public static var maxMessageSize: Self { Self("ZMQ_MAXMSGSIZE", ZMQ_MAXMSGSIZE, .optionalLongCount) }
    /// The kernel's send buffer in bytes; nil leaves it to the kernel, which is nearly always best.
    public static var sendBuffer: Self { Self("ZMQ_SNDBUF", ZMQ_SNDBUF, .optionalCount) }
    /// The kernel's receive buffer in bytes; nil leaves it to the kernel.
    public static var receiveBuffer: Self { Self("ZMQ_RCVBUF", ZMQ_RCVBUF, .optionalCount) }
    /// Unanswered keep-alive probes before a TCP connection ends; nil: the system's default.
    public static var tcpKeepaliveCount: Self {
        Self("ZMQ_TCP_KEEPALIVE_CNT", ZMQ_TCP_KEEPALIVE_CNT, .optionalCount)
    }
}

extension SocketOption where Value == Duration? {
    /// How long unsent messages survive the closing of the socket; nil is for ever. Zero in our contexts.
    public static var linger: Self { Self("ZMQ_LINGER", ZMQ_LINGER, .optionalMilliseconds) }
    /// The first pause before connecting again; nil: never again.
    public static var reconnectInterval: Self { Self("ZMQ_RECONNECT_IVL", ZMQ_RECONNECT_IVL, .optionalMilliseconds) }
    /// Silence before the first keep-alive probe, in whole seconds; nil: the system's default.
    public static var tcpKeepaliveIdle: Self {
        Self("ZMQ_TCP_KEEPALIVE_IDLE", ZMQ_TCP_KEEPALIVE_IDLE, .optionalSeconds)
    }
    /// The pause between keep-alive probes, in whole seconds; nil: the system's default.
    public static var tcpKeepaliveInterval: Self {
        Self("ZMQ_TCP_KEEPALIVE_INTVL", ZMQ_TCP_KEEPALIVE_INTVL, .optionalSeconds)
    }
}

extension SocketOption where Value == Duration {
    /// The longest pause between attempts, which doubling reaches; zero: no back-off at all (row 12).
    public static var reconnectIntervalMax: Self {
        Self("ZMQ_RECONNECT_IVL_MAX", ZMQ_RECONNECT_IVL_MAX, .milliseconds)
    }
    /// How long one attempt to connect may take; zero: the system's default, minutes.
    public static var connectTimeout: Self { Self("ZMQ_CONNECT_TIMEOUT", ZMQ_CONNECT_TIMEOUT, .milliseconds) }
    /// How long the ZMTP handshake may take; zero: no limit.
    public static var handshakeInterval: Self { Self("ZMQ_HANDSHAKE_IVL", ZMQ_HANDSHAKE_IVL, .milliseconds) }
    /// How long sent bytes may stay unacknowledged before TCP gives up; zero: the system's default (row 4).
    public static var tcpMaxRetransmitTimeout: Self { Self("ZMQ_TCP_MAXRT", ZMQ_TCP_MAXRT, .milliseconds) }
}

extension SocketOption where Value == Bool {
    /// Queue only for finished connections. The queue of a connection is dropped when the connection ends (row 18).
    public static var immediate: Self { Self("ZMQ_IMMEDIATE", ZMQ_IMMEDIATE, .flag) }
    /// Allow IPv6 beside IPv4.
    public static var ipv6: Self { Self("ZMQ_IPV6", ZMQ_IPV6, .flag) }
    /// Pass on every subscription, not only the first of a topic. ``xpubVerboser`` includes it.
    public static var xpubVerbose: Self {
        Self("ZMQ_XPUB_VERBOSE", ZMQ_XPUB_VERBOSE, .flag, .writeOnly, on: [.xpub])
    }
    /// Pass on every subscription and unsubscription, also those of a topic that other peers hold (rows 7 and 8).
    public static var xpubVerboser: Self {
        Self("ZMQ_XPUB_VERBOSER", ZMQ_XPUB_VERBOSER, .flag, .writeOnly, on: [.xpub])
    }
    /// Report an unknown peer and a full queue instead of dropping in silence (row 9).
    public static var routerMandatory: Self {
        Self("ZMQ_ROUTER_MANDATORY", ZMQ_ROUTER_MANDATORY, .flag, .writeOnly, on: [.router])
    }
    /// Be the server side of CURVE; set ``curveSecretKey``, too. Without a ZAP handler any client key is allowed,
    /// unless ``zapEnforceDomain`` is on (row 13).
    public static var curveServer: Self { Self("ZMQ_CURVE_SERVER", ZMQ_CURVE_SERVER, .flag) }
    /// Refuse clients while no ZAP handler answers for a non-empty ``zapDomain`` (row 13).
    public static var zapEnforceDomain: Self {
        Self("ZMQ_ZAP_ENFORCE_DOMAIN", CLIBZMQ_ZAP_ENFORCE_DOMAIN, .flag)
    }
}

extension SocketOption where Value == Bool? {
    /// TCP keep-alive on or off; nil: the system's default.
    public static var tcpKeepalive: Self { Self("ZMQ_TCP_KEEPALIVE", ZMQ_TCP_KEEPALIVE, .optionalFlag) }
}

extension SocketOption where Value == [UInt8] {
    /// The name by which a ROUTER at the other end knows this socket: 1 to 255 bytes, the first not zero.
    public static var routingID: Self {
        Self("ZMQ_ROUTING_ID", ZMQ_ROUTING_ID, .routingID, on: [.dealer, .req, .rep, .router])
    }
}

extension SocketOption where Value == String {
    /// The domain that libzmq names to a ZAP handler. With a domain, connections of ZMTP 1.0 and 2.0 are closed (row
    /// 21).
    public static var zapDomain: Self { Self("ZMQ_ZAP_DOMAIN", ZMQ_ZAP_DOMAIN, .text) }
    /// See ``Socket/lastEndpoint()``.
    public static var lastEndpoint: Self { Self("ZMQ_LAST_ENDPOINT", ZMQ_LAST_ENDPOINT, .text, .readOnly) }
}

extension SocketOption where Value == Curve.PublicKey {
    /// The client's own public key. ``curveSecretKey`` and ``curveServerKey`` have to be set with it.
    public static var curvePublicKey: Self { Self("ZMQ_CURVE_PUBLICKEY", ZMQ_CURVE_PUBLICKEY, .publicKey) }
    /// The public key of the server to connect to.
    public static var curveServerKey: Self { Self("ZMQ_CURVE_SERVERKEY", ZMQ_CURVE_SERVERKEY, .publicKey) }
}

extension SocketOption where Value == Curve.SecretKey {
    /// This side's own secret key.
    public static var curveSecretKey: Self { Self("ZMQ_CURVE_SECRETKEY", ZMQ_CURVE_SECRETKEY, .secretKey) }
}

extension SocketOption where Value == UInt64 {
    /// Which I/O threads may serve the socket, one bit each; zero: all.
    public static var ioThreadAffinity: Self { Self("ZMQ_AFFINITY", ZMQ_AFFINITY, .mask) }
}

extension SocketOption where Value == Socket.Kind {
    /// The kind, as libzmq returns it. Reading ``Socket/kind`` costs nothing.
    public static var type: Self { Self("ZMQ_TYPE", ZMQ_TYPE, .kind, .readOnly) }
}

extension SocketOption where Value == Socket.Events {
    /// The events of the socket: what it can do now.
    public static var events: Self { Self("ZMQ_EVENTS", ZMQ_EVENTS, .events, .readOnly) }
}

extension SocketOption where Value == CInt {
    /// A descriptor that becomes readable when ``events`` may have changed. It is edge-triggered: read ``events``
    /// before each wait. ``Poller`` does so.
    public static var fileDescriptor: Self { Self("ZMQ_FD", ZMQ_FD, .descriptor, .readOnly) }
}
