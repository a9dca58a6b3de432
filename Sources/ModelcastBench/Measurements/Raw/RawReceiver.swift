import CLibZMQ

/// A receiver that uses libzmq alone: receives the messages of a ``RawSender`` on a SUB; in bulk on a PULL.
struct RawReceiver: Sendable {
    let endpoint: String
    let isBulk: Bool

    func run() async throws {
        let peer = self
        try await RawPeer.run { orders, tell in try peer.serve(orders, tell) }
    }

    private func serve(_ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = isBulk ? try RawSocket(ZMQ_PULL, queueCount: RawSender.bulkQueueCount) : try RawSocket(ZMQ_SUB)
        defer { socket.close() }
        try socket.connect(to: endpoint)
        tell(.ready(endpoint: ""))
        while let order = orders.next() {
            switch order {
            case .receive(let count):
                var samples: [BenchReply.Sample] = []
                for index in 0..<count {
                    if index & 0x3FFF == 0 {
                        samples.append(
                            BenchReply.Sample(nanoseconds: MonotonicClock.nanoseconds, count: UInt64(index)))
                    }
                    try socket.receive { stamp in
                        guard stamp.due == UInt64(index) else {
                            throw BenchError("raw message \(index) of \(count) has been lost")
                        }
                    }
                }
                tell(.received(endNanoseconds: MonotonicClock.nanoseconds, samples: samples))
            case .receivePaced(let count):
                let (fromIntended, fromCall) = (LatencyHistogram(), LatencyHistogram())
                for _ in 0..<count {
                    try socket.receive { stamp in
                        let now = MonotonicClock.nanoseconds
                        fromIntended.record(now &- stamp.due)
                        fromCall.record(now &- stamp.sent)
                    }
                }
                tell(
                    .latency(
                        BenchReply.Latency(
                            fromIntended: fromIntended.recording, fromCall: fromCall.recording, folded: 0)))
            case .receiveBulk(let count):
                for _ in 0..<count { try socket.receive { _ in } }
                tell(.received(endNanoseconds: MonotonicClock.nanoseconds))
            case .processor: tell(.processor(seconds: ProcessFigures.processorSeconds))
            default: throw BenchError("a raw receiver does not know the order \(order)")
            }
        }
    }
}
