extension Socket {
    /// Sets the options that every socket of Modelcast starts from, by its kind. Call it before bind and connect.
    ///
    /// - All: no linger; `frameLimit` as greatest frame; both high-water marks `memoryLimit / frameLimit`; handshake
    ///   within 3 s (HANDSHAKE_IVL); sent bytes acknowledged within 5 s (TCP_MAXRT, row 4), and a silent connection
    ///   probed after 10 s, three times in 15 (TCP_KEEPALIVE); no ZMTP heartbeats (row 3); IMMEDIATE off (row 18).
    /// - SUB, XSUB, DEALER, REQ, PUSH, PULL, which connect: again after 50 ms, doubling up to 2 s (row 12); 2 s for
    ///   one attempt.
    /// - SUB, XSUB: no send high-water mark, else subscriptions vanish (row 5).
    /// - XPUB, PUB: a backlog of 1024 connections; XPUB passes on every subscription (VERBOSER, rows 7 and 8).
    /// - ROUTER, REP: a backlog of 1024; ROUTER reports what it cannot deliver (MANDATORY, row 9).
    ///
    /// The rows are those of the libzmq notes. High-water marks count messages for each peer and are at least 2. A
    /// message is a short topic and one frame of at most `frameLimit`, so `memoryLimit` is divided by that.
    ///
    /// - Parameters:
    ///   - frameLimit: the greatest frame in bytes, the same at both ends. A peer that exceeds it is cut.
    ///   - memoryLimit: the limit of the queue of one peer in bytes, in each direction.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func applyDefaults(frameLimit: Int, memoryLimit: Int) throws(ZeroMQError) {
        precondition(frameLimit > 0 && memoryLimit >= frameLimit, "limits in bytes, memory not below one frame")
        let messageCountMax = min(max(memoryLimit / frameLimit, 2), Int(CInt.max))
        try set(.linger, .zero)
        try set(.immediate, false)
        try set(.maxMessageSize, frameLimit)
        try set(.sendHighWaterMark, messageCountMax)
        try set(.receiveHighWaterMark, messageCountMax)
        try set(.handshakeInterval, .seconds(3))
        try set(.tcpMaxRetransmitTimeout, .seconds(5))
        try set(.tcpKeepalive, true)
        try set(.tcpKeepaliveIdle, .seconds(10))
        try set(.tcpKeepaliveInterval, .seconds(5))
        try set(.tcpKeepaliveCount, 3)
        switch kind {
        case .sub, .xsub:
            try set(.sendHighWaterMark, 0)
            try applyReconnectDefaults()
        case .dealer, .req, .push, .pull:
            try applyReconnectDefaults()
        case .xpub, .pub:
            try set(.backlog, 1024)
            if kind == .xpub { try set(.xpubVerboser, true) }
        case .router, .rep:
            try set(.backlog, 1024)
            if kind == .router { try set(.routerMandatory, true) }
        case .pair:
            break
        }
    }

    private func applyReconnectDefaults() throws(ZeroMQError) {
        try set(.reconnectInterval, .milliseconds(50))
        try set(.reconnectIntervalMax, .seconds(2))
        try set(.connectTimeout, .seconds(2))
    }
}
