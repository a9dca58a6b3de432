import CLibZMQ

/// libzmq and nothing else: receives what a ``RawSender`` sends, on a SUB.
struct RawReceiver: Sendable {
    let endpoint: String

    func run() async throws {
        let endpoint = endpoint
        try await RawPeer.run { orders, tell in try RawReceiver.serve(endpoint, orders, tell) }
    }

    private static func serve(_ endpoint: String, _ orders: OrderQueue, _ tell: (BenchReply) -> Void) throws {
        let socket = try RawSocket(ZMQ_SUB)
        defer { socket.close() }
        try socket.connect(to: endpoint)
        tell(.ready(endpoint: ""))
        while let order = orders.next() {
            switch order {
            case .receive(let count):
                for index in 0..<count {
                    try socket.receive { stamp in
                        guard stamp.due == UInt64(index) else {
                            throw BenchError("raw message \(index) of \(count) has been lost")
                        }
                    }
                }
                tell(.received(endNanoseconds: MonotonicClock.nanoseconds))
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
                            fromIntended: fromIntended.summary, fromCall: fromCall.summary, folded: 0)))
            default: throw BenchError("a raw receiver does not know the order \(order)")
            }
        }
    }
}
