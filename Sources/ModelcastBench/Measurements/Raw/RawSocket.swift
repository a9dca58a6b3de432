import CLibZMQ
import Foundation

/// The two times at the beginning of a raw message; in throughput rounds `due` is its number.
struct RawStamp {
    var due: UInt64
    var sent: UInt64
}

/// A libzmq socket as a C program uses it, for the figure that everything is compared with.
///
/// One thread makes, uses and closes it.
@safe
struct RawSocket {
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - kind: `ZMQ_XPUB` or `ZMQ_SUB`, `ZMQ_PUSH` or `ZMQ_PULL`; a SUB takes everything.
    ///   - queueCount: how many messages may wait; 0 for any number.
    ///   - patience: how long a receive waits, in milliseconds.
    init(_ kind: Int32, queueCount: Int32 = 0, patience: Int32 = 30_000) throws {
        guard let context = unsafe zmq_ctx_new() else { throw BenchError("no libzmq context") }
        guard let socket = unsafe zmq_socket(context, kind) else {
            unsafe zmq_ctx_term(context)
            throw BenchError("no libzmq socket")
        }
        unsafe self.context = context
        unsafe self.socket = socket
        // An XPUB without a limit loses nothing, and a PUSH waits at its limit. A receive fails when it waits too long.
        let options: [(Int32, Int32)] = [
            (ZMQ_SNDHWM, queueCount), (ZMQ_RCVHWM, queueCount), (ZMQ_LINGER, 0), (ZMQ_RCVTIMEO, patience),
        ]
        for (option, value) in options {
            var value = value
            try check("option \(option)", unsafe clibzmq_set(socket, option, &value, 4))
        }
        if kind == ZMQ_SUB { try check("subscribe", unsafe clibzmq_set(socket, ZMQ_SUBSCRIBE, "", 0)) }
    }

    /// Makes an XPUB receive also those subscriptions that another subscriber has already.
    func tellEverySubscription() throws {
        var value: Int32 = 1
        try check("verbose", unsafe clibzmq_set(socket, ZMQ_XPUB_VERBOSE, &value, 4))
    }

    /// Binds the socket to a free port of 127.0.0.1.
    /// - Returns: the endpoint, with the port that the system chose.
    func bind() throws -> String {
        try check("bind", unsafe clibzmq_bind(socket, "tcp://127.0.0.1:*"))
        var text = [CChar](repeating: 0, count: 256)
        var size = text.count
        try check("last endpoint", unsafe clibzmq_get(socket, ZMQ_LAST_ENDPOINT, &text, &size))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func connect(to endpoint: String) throws { try check("connect", unsafe clibzmq_connect(socket, endpoint)) }

    /// Sends one frame of ``RawSender/byteCount`` bytes, and waits where the queue is full.
    @inline(__always)
    func send(_ stamp: RawStamp) throws {
        var message = clibzmq_message()
        try check("message", unsafe clibzmq_message_init_size(&message, RawSender.byteCount))
        // The frame was made with more bytes than a stamp has.
        let bytes = unsafe clibzmq_message_mutable_data(&message)
        unsafe bytes?.storeBytes(of: stamp.due, as: UInt64.self)
        unsafe bytes?.storeBytes(of: stamp.sent, toByteOffset: 8, as: UInt64.self)
        try check("send", unsafe clibzmq_message_send(&message, socket, 0))
    }

    /// Sends one frame that is a copy of `bytes`, and waits where the queue is full.
    func send(_ bytes: [UInt8]) throws { try send(bytes[...], isLast: true) }

    /// Sends one frame of a message.
    /// - Parameter isLast: false where another one follows.
    func send(_ bytes: ArraySlice<UInt8>, isLast: Bool) throws {
        var message = clibzmq_message()
        try check("message", unsafe clibzmq_message_init_size(&message, bytes.count))
        // The frame was made with as many bytes.
        let target = unsafe clibzmq_message_mutable_data(&message)
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { unsafe target?.copyMemory(from: base, byteCount: source.count) }
        }
        try check("send", unsafe clibzmq_message_send(&message, socket, isLast ? 0 : ZMQ_SNDMORE))
    }

    /// Waits for a message.
    /// - Returns: the sizes of its frames; nil when none came in time.
    func receiveSizes() throws -> [Int]? {
        var sizes: [Int] = []
        return try unsafe receiveFrames { sizes.append($0.count) } ? sizes : nil
    }

    /// Waits for a message, and hands over each of its frames.
    /// - Returns: false when none came in time.
    func receiveFrames(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        var isFirst = true
        while true {
            var message = clibzmq_message()
            unsafe clibzmq_message_init(&message)
            defer { unsafe clibzmq_message_close(&message) }
            let result = unsafe clibzmq_message_receive(&message, socket, 0)
            if result == -EAGAIN, isFirst { return false }
            try check("receive", result)
            isFirst = false
            let bytes = unsafe clibzmq_message_data(&message)
            // The buffer has the message's size, and is valid until the message is closed.
            try unsafe body(UnsafeRawBufferPointer(start: bytes, count: clibzmq_message_size(&message)))
            if unsafe clibzmq_message_more(&message) == 0 { return true }
        }
    }

    /// Waits for one frame. `body` gets zeros for a frame that is too short for a stamp.
    @inline(__always)
    func receive(_ body: (RawStamp) throws -> Void) throws {
        var message = clibzmq_message()
        unsafe clibzmq_message_init(&message)
        defer { unsafe clibzmq_message_close(&message) }
        try check("receive", unsafe clibzmq_message_receive(&message, socket, 0))
        var stamp = RawStamp(due: 0, sent: 0)
        if unsafe clibzmq_message_size(&message) >= 16, let bytes = unsafe clibzmq_message_data(&message) {
            stamp.due = unsafe bytes.loadUnaligned(as: UInt64.self)
            stamp.sent = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        }
        try body(stamp)
    }

    func close() {
        unsafe zmq_close(socket)
        unsafe zmq_ctx_term(context)
    }

    @inline(__always)
    private func check(_ what: @autoclosure () -> String, _ result: Int32) throws {
        guard result < 0 else { return }
        throw BenchError("libzmq, \(what()): error \(-result)")
    }
}
