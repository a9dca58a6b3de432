import CLibZMQ
import ModelWire

/// A SUB of raw libzmq at a publisher of Modelcast, which notes the sizes of its messages and how many updates they
/// have.
struct FrameRecorder: Sendable {
    let endpoint: String
    /// After so long without a message nothing is on its way. It is shorter than the interval of heads.
    private static let quietNanoseconds: UInt64 = 300_000_000

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
            // Messages from before the order are dropped.
            while try socket.receiveSizes() != nil {}
            tell(.recording)
            tell(.frames(try record(socket, seconds: seconds)))
        }
    }

    private func record(_ socket: RawSocket, seconds: Double) throws -> [RecordedFrame] {
        var frames: [RecordedFrame] = []
        var decoder = BatchDecoder()
        var end = MonotonicClock.nanoseconds + UInt64(seconds * 1e9)
        while MonotonicClock.nanoseconds < end {
            var parts: [[UInt8]] = []
            // The parts are copied, because the message is closed behind this call.
            guard try unsafe socket.receiveFrames({ unsafe parts.append(Array($0)) }) else { continue }
            guard parts.count == 2 else { throw BenchError("a message of \(parts.count) frames, and not of two") }
            end = max(end, MonotonicClock.nanoseconds + FrameRecorder.quietNanoseconds)
            frames.append(
                RecordedFrame(
                    topicByteCount: parts[0].count, payloadByteCount: parts[1].count,
                    updateCount: try FrameRecorder.updateCount(parts[1], &decoder)))
        }
        return frames
    }

    private static func updateCount(_ payload: [UInt8], _ decoder: inout BatchDecoder) throws -> Int {
        guard case .batch = try StreamFrame(decoding: payload.span) else { return 0 }
        try decoder.decode(payload.span)
        return decoder.updateCount
    }
}

/// An XPUB of raw libzmq that sends frames of the same sizes and times as a publisher of Modelcast has sent.
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
            MonotonicClock.sleep(until: start + UInt64(frame.microseconds) * 1000)
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
