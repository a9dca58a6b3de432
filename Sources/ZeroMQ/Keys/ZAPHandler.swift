/// Decides which clients may connect, for all sockets of one context: the server's side of ZAP (RFC 27).
///
///     let handler = try ZAPHandler(allowing: keys, domain: "modelcast", in: context)    // before any bind
///     let token = try poller.add(handler)
///     …
///     if poller.isReadable(token) { for decision in try handler.answer() { … } }
///
/// - libzmq asks the handler once for each new connection of a socket with ``SocketOption/curveServer``, or with a
///   ``SocketOption/zapDomain``. The handshake waits for the answer, so serve the handler as promptly as the sockets.
/// - Where no keys are used it allows every client that speaks ZMTP 3. A socket with a domain closes connections of
///   older versions, which any bytes that are sent to the port would pass for (row 21).
/// - Without a handler libzmq allows any key (libzmq notes, row 13). ``SocketOption/zapEnforceDomain`` on every serving
///   socket makes it refuse instead, so that a handler that was forgotten, or has gone, admits no client.
/// - A context has one handler. It belongs to the thread that made it, as its socket does.
@safe
public struct ZAPHandler: ~Copyable {
    /// The keys of allowed clients by the ``SocketOption/zapDomain`` of the socket. Nil in a domain without keys: there
    /// all clients without a key are allowed, and no others.
    private var allowed: [String: Set<Curve.PublicKey>?]
    fileprivate let socket: Socket

    /// The endpoint at which libzmq asks, by RFC 27.
    package static let endpoint = "inproc://zeromq.zap.01"

    /// Binds the handler's endpoint. From then on libzmq asks it.
    ///
    /// - Parameters:
    ///   - allowed: the keys of allowed clients. Nil where no keys are used: then all clients without a key are
    ///     allowed, and no others.
    ///   - domain: the ``SocketOption/zapDomain`` of the sockets for which that holds. Clients of other domains are
    ///     refused.
    /// - Throws: ``ZeroMQError/Code/addressInUse`` when the context has a handler already.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public init(
        allowing allowed: Set<Curve.PublicKey>?, domain: String, in context: Context
    ) throws(ZeroMQError) {
        let socket = try Socket(.rep, in: context)
        // Requests are a few hundred bytes, one for each handshake that is under way. None may be lost.
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.sendHighWaterMark, 0)
        try socket.bind(ZAPHandler.endpoint)
        self.allowed = [domain: allowed]
        self.socket = socket
    }

    /// Lets these keys come in at the sockets of a domain from now on, and no others. Nil takes the domain away, and
    /// everybody is refused there. Connections that are there already stay.
    public mutating func allow(_ keys: Set<Curve.PublicKey>?, in domain: String) {
        allowed[domain] = keys.map { .some($0) }
    }

    /// Answers the requests that have come since the last call. Never waits.
    ///
    /// - Returns: the decisions, in the order of the requests. Every request gets an answer, also a malformed one.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public borrowing func answer() throws(ZeroMQError) -> [ZAPDecision] {
        var decisions: [ZAPDecision] = []
        var message = Message()
        while try socket.receive(into: &message) {
            var frames = [message.bytes]
            while message.hasMore, try socket.receive(into: &message) {
                // The rest of a message that is too long is skipped, as its number of frames is malformed in any case.
                if frames.count <= ZAPRequest.frameCountMax { frames.append(message.bytes) }
            }
            let (decision, reply) = ZAPRequest.decide(frames, allowed: allowed)
            for (index, frame) in reply.enumerated() {
                // Refused only when the asking connection has gone.
                guard try socket.send(Message(copyingBytes: frame), more: index < reply.count - 1) == .sent else {
                    break
                }
            }
            decisions.append(decision)
        }
        return decisions
    }
}

@available(*, unavailable, message: "one thread owns a handler: make it on the thread that serves it")
extension ZAPHandler: Sendable {}

extension Poller {
    /// Adds a handler. Readable means that ``ZAPHandler/answer()`` has a request to answer.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public mutating func add(_ handler: borrowing ZAPHandler) throws(ZeroMQError) -> Token {
        try add(handler.socket)
    }
}

extension Message {
    fileprivate var bytes: [UInt8] { withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } } }

    fileprivate init(copyingBytes bytes: [UInt8]) {
        // The span is borrowed for the call only, and the call copies it.
        unsafe self.init(copying: bytes.span.bytes)
    }
}
