import CLibZMQ

/// A sender that uses libzmq alone: sends messages of one frame of 100 bytes from an XPUB, with no high-water mark; in
/// bulk large ones from a PUSH, which waits for its receiver.
struct RawSender: Sendable {
    static let byteCount = 100
    /// How many messages may wait in bulk: as many as a sender of snapshots lets wait.
    static let bulkQueueCount: Int32 = 16

    let isBulk: Bool

    func run() async throws {
        let isBulk = isBulk
        try await RawPeer.run { orders, tell in try RawSender.serve(isBulk, orders, tell) }
    }

    /// The work of the socket's thread: makes the socket, carries out orders, closes the socket.
    private static func serve(_ isBulk: Bool, _ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = isBulk ? try RawSocket(ZMQ_PUSH, queueCount: bulkQueueCount) : try RawSocket(ZMQ_XPUB)
        defer { socket.close() }
        tell(.ready(endpoint: try socket.bind()))
        // The XPUB receives the subscription; from then on nothing is lost.
        if !isBulk { try socket.receive { _ in } }
        while let order = orders.next() {
            switch order {
            case .send(let count):
                let start = MonotonicClock.nanoseconds
                for index in 0..<count { try socket.send(RawStamp(due: UInt64(index), sent: 0)) }
                tell(.sent(startNanoseconds: start))
            case .sendPaced(let rate, let seconds):
                let lateness = LatencyHistogram()
                let count = Int(rate * seconds)
                try Pace(rate: rate, start: MonotonicClock.nanoseconds + 10_000_000).forEachDue(count) { due in
                    let now = MonotonicClock.nanoseconds
                    lateness.record(now - due)
                    try socket.send(RawStamp(due: due, sent: now))
                }
                tell(.paced(lateness: lateness.summary, count: count))
            case .sendBulk(let count, let byteCount):
                let bytes = [UInt8](repeating: 0x5A, count: byteCount)
                let start = MonotonicClock.nanoseconds
                for _ in 0..<count { try socket.send(bytes) }
                tell(.sent(startNanoseconds: start))
            case .processor: tell(.processor(seconds: ProcessFigures.processorSeconds))
            default: throw BenchError("a raw sender does not know the order \(order)")
            }
        }
    }
}
