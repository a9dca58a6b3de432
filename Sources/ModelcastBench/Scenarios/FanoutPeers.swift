import CLibZMQ

/// A message that a publisher sent: when, and how large its two frames were.
public struct SentFrame: Codable, Hashable, Sendable {
    /// Since the first.
    var microseconds: Int
    var topicByteCount: Int
    var payloadByteCount: Int
}

/// A SUB of raw libzmq at a publisher of Modelcast: notes the sizes of what comes.
struct FrameRecorder: Sendable {
    let endpoint: String

    func run() async throws {
        let recorder = self
        try await RawPeer.run { orders, tell in try recorder.serve(orders, tell) }
    }

    private func serve(_ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = try RawSocket(ZMQ_SUB, patience: 5)
        defer { socket.close() }
        try socket.connect(to: endpoint)
        tell(.ready(endpoint: ""))
        while let order = orders.next() {
            guard case .recordFrames(let seconds) = order else {
                throw BenchError("a recorder does not know the order \(order)")
            }
            // What came before.
            while try socket.receiveSizes() != nil {}
            tell(.recording)
            tell(.frames(try record(socket, seconds: seconds)))
        }
    }

    private func record(_ socket: RawSocket, seconds: Double) throws -> [SentFrame] {
        var frames: [SentFrame] = []
        var first: UInt64?
        let end = MonotonicClock.nanoseconds + UInt64(seconds * 1e9)
        while MonotonicClock.nanoseconds < end {
            guard let sizes = try socket.receiveSizes() else { continue }
            guard sizes.count == 2 else { throw BenchError("a message of \(sizes.count) frames, and not of two") }
            let now = MonotonicClock.nanoseconds
            first = first ?? now
            frames.append(
                SentFrame(
                    microseconds: Int((now - (first ?? now)) / 1000), topicByteCount: sizes[0],
                    payloadByteCount: sizes[1]))
        }
        return frames
    }
}

/// An XPUB of raw libzmq that sends to all its subscribers what a publisher of Modelcast has sent.
struct FanoutSender: Sendable {
    func run() async throws {
        try await RawPeer.run { orders, tell in try FanoutSender.serve(orders, tell) }
    }

    private static func serve(_ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = try RawSocket(ZMQ_XPUB)
        try socket.tellEverySubscription()
        defer { socket.close() }
        tell(.ready(endpoint: try socket.bind()))
        var planned: [SentFrame] = []
        while let order = orders.next() {
            switch order {
            case .awaitSubscribers(let count):
                for _ in 0..<count { try socket.receive { _ in } }
                tell(.subscribed)
            case .planFrames(let frames):
                planned = frames
                tell(.planned)
            case .sendPlannedFrames: tell(try send(planned, to: socket))
            case .processor: tell(.processor(seconds: ProcessFigures.processorSeconds))
            default: throw BenchError("a sender to many does not know the order \(order)")
            }
        }
    }

    private static func send(_ frames: [SentFrame], to socket: RawSocket) throws -> BenchReply {
        let longest = frames.reduce(0) { max($0, $1.topicByteCount, $1.payloadByteCount) }
        let bytes = [UInt8](repeating: 0x5A, count: longest)
        MonotonicClock.sharpenSleep()
        let start = MonotonicClock.nanoseconds
        for frame in frames {
            let due = start + UInt64(frame.microseconds) * 1000
            if MonotonicClock.nanoseconds < due { MonotonicClock.sleep(until: due) }
            try socket.send(bytes.prefix(frame.topicByteCount), isLast: false)
            try socket.send(bytes.prefix(frame.payloadByteCount), isLast: true)
        }
        return .sent(startNanoseconds: start)
    }
}

/// A SUB of raw libzmq, one of many.
struct FanoutReceiver: Sendable {
    let endpoint: String

    func run() async throws {
        let receiver = self
        try await RawPeer.run { orders, tell in try receiver.serve(orders, tell) }
    }

    private func serve(_ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = try RawSocket(ZMQ_SUB)
        defer { socket.close() }
        try socket.connect(to: endpoint)
        tell(.ready(endpoint: ""))
        while let order = orders.next() {
            guard case .receiveFrames(let count) = order else {
                throw BenchError("a receiver of many does not know the order \(order)")
            }
            for _ in 0..<count {
                guard try socket.receiveSizes()?.count == 2 else { throw BenchError("a raw message has been lost") }
            }
            tell(.received(endNanoseconds: MonotonicClock.nanoseconds))
        }
    }
}
