internal import CLibZMQ

/// A typed option of a socket. The static members are the whole table, which ``SocketOptions/all`` lists.
///
///     try socket.set(.reconnectInterval, .milliseconds(50))
///     let limit = try socket.get(.maxMessageSize)
///
/// Times are `Duration`s and are rounded up to the unit of libzmq, as zero often means "off". Options apply to later
/// binds and connects unless their comment says more.
///
/// Some options are missing on purpose, as each loses or destroys messages silently (row numbers of the libzmq notes):
/// XPUB_NODROP (2), XPUB_WELCOME_MSG (7), CONFLATE (10), ROUTER_HANDOVER; and HEARTBEAT_IVL, HEARTBEAT_TIMEOUT and
/// HEARTBEAT_TTL may end the process at the other end (3).
public struct SocketOption<Value: Sendable & Equatable>: Sendable {
    /// Whether libzmq lets a program read and set the option.
    public enum Access: Sendable {
        case readWrite
        case readOnly
        case writeOnly
    }

    /// libzmq's name, such as `ZMQ_LINGER`.
    public let name: String
    /// Whether the option can be read and set.
    public let access: Access
    /// The kinds of sockets that have the option.
    public let kinds: [Socket.Kind]

    let number: CInt
    package let coding: OptionCoding<Value>

    init(
        _ name: String, _ number: CInt, _ coding: OptionCoding<Value>, _ access: Access = .readWrite,
        on kinds: [Socket.Kind] = Socket.Kind.allCases
    ) {
        self.name = name
        self.number = number
        self.coding = coding
        self.access = access
        self.kinds = kinds
    }
}

extension SocketOption: AnySocketOption {
    /// The option itself.
    public var option: SocketOption<Value> { self }
}

extension Socket {
    /// Sets an option.
    ///
    /// - Throws: ``ZeroMQError/Code/invalidArgument`` for a value out of range, or an option that this kind of
    ///   socket does not have, or must not have (``SocketOption/heartbeatInterval``).
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func set<Value>(_ option: SocketOption<Value>, _ value: Value) throws(ZeroMQError) {
        let subject = option.coding.isSecret ? option.name : "\(option.name) = \(value)"
        guard option.access != .readOnly, option.kinds.contains(kind), let raw = option.coding.encode(value) else {
            throw failure(-EINVAL, "zmq_setsockopt", "\(subject) on \(kind)")
        }
        try setRaw(option.number, raw, "\(subject) on \(kind)")
    }

    /// Reads an option.
    ///
    /// - Throws: ``ZeroMQError/Code/invalidArgument`` when libzmq does not let the option be read.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func get<Value>(_ option: SocketOption<Value>) throws(ZeroMQError) -> Value {
        let subject = "\(option.name) of \(kind)"
        guard option.access != .writeOnly, option.kinds.contains(kind) else {
            throw failure(-EINVAL, "zmq_getsockopt", subject)
        }
        let raw = try getRaw(option.number, option.coding.byteCountMax, subject)
        guard let value = option.coding.decode(raw) else { throw failure(-EINVAL, "zmq_getsockopt", subject) }
        return value
    }

    func setRaw(_ number: CInt, _ bytes: [UInt8], _ subject: @autoclosure () -> String) throws(ZeroMQError) {
        try check("zmq_setsockopt", subject()) {
            unsafe bytes.withUnsafeBytes { unsafe clibzmq_set(raw, number, $0.baseAddress, $0.count) }
        }
    }

    private func getRaw(_ number: CInt, _ byteCountMax: Int, _ subject: String) throws(ZeroMQError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        var count = byteCountMax
        try check("zmq_getsockopt", subject) {
            unsafe bytes.withUnsafeMutableBytes { unsafe clibzmq_get(raw, number, $0.baseAddress, &count) }
        }
        return Array(bytes.prefix(count))
    }
}
