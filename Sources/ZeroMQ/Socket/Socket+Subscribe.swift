internal import CLibZMQ

extension Socket {
    /// The longest prefix that ``subscribe(to:)-(String)`` takes. libzmq does not match topics of 246 to 255 bytes
    /// (libzmq notes, row 17); the protocol keeps its topics below 200.
    public static let topicByteCountMax = 199

    /// Asks for messages whose first frame begins with `prefix`; the empty prefix means all. A prefix subscribed
    /// twice must be unsubscribed twice.
    ///
    /// A SUB keeps its subscriptions over reconnects. libzmq does not report when a subscription has reached the other
    /// side; the protocol's barrier is for that.
    ///
    /// - Throws: ``ZeroMQError/Code/invalidArgument`` beyond ``topicByteCountMax``, or on another kind than SUB.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func subscribe(to prefix: [UInt8]) throws(ZeroMQError) {
        try setTopic(ZMQ_SUBSCRIBE, "ZMQ_SUBSCRIBE", prefix)
    }

    /// Asks for messages whose first frame begins with a text.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func subscribe(to prefix: String) throws(ZeroMQError) {
        try subscribe(to: Array(prefix.utf8))
    }

    /// Takes back one ``subscribe(to:)-([UInt8])`` of the same prefix.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func unsubscribe(from prefix: [UInt8]) throws(ZeroMQError) {
        try setTopic(ZMQ_UNSUBSCRIBE, "ZMQ_UNSUBSCRIBE", prefix)
    }

    /// Takes back one ``subscribe(to:)-(String)`` of the same prefix.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func unsubscribe(from prefix: String) throws(ZeroMQError) {
        try unsubscribe(from: Array(prefix.utf8))
    }

    private func setTopic(_ number: CInt, _ name: String, _ prefix: [UInt8]) throws(ZeroMQError) {
        guard prefix.count <= Self.topicByteCountMax else {
            throw failure(
                -EINVAL, "zmq_setsockopt", "\(name) of \(prefix.count) bytes, at most \(Self.topicByteCountMax)")
        }
        try setRaw(number, prefix, "\(name) \(String(decoding: prefix, as: UTF8.self)) on \(kind)")
    }
}
