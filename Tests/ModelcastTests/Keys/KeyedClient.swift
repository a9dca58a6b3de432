import ModelWire
import TestSupport
import ZeroMQ

@testable import Modelcast

/// A connection to a control endpoint under any key: it sends any request, and returns the replies word for word.
/// Belongs to one thread.
struct KeyedClient: ~Copyable {
    private let socket: Socket
    private var poller: Poller
    private var lastRID: UInt64 = 0

    /// The time for the answers to one call; reached only when something is broken.
    private static let limit = Duration.seconds(60)

    init(_ endpoint: String, as keys: Curve.KeyPair, of server: Curve.PublicKey, in context: Context) throws {
        let socket = try Socket(.dealer, in: context)
        try Security.connect(socket, keys, to: server)
        try socket.connect(endpoint)
        var poller = try Poller()
        _ = try poller.add(socket)
        self.socket = socket
        self.poller = poller
    }

    /// Sends a request that has no answer.
    mutating func send(_ request: (UInt64) -> ControlRequest) throws {
        lastRID += 1
        guard try socket.send(Message(request(lastRID).encode())) == .sent else {
            throw CaseFailure("a request finds no room")
        }
    }

    /// Asks many questions at once. What is answered with `busy` is asked again.
    /// - Parameter requests: each makes a request with the number that it is given.
    /// - Returns: the replies to each request.
    mutating func answers(to requests: [(UInt64) -> ControlRequest]) throws -> [[ControlReply]] {
        var answers = requests.map { _ in [ControlReply]() }
        var waiting = Array(requests.indices)
        let deadline = ContinuousClock.now + Self.limit
        while true {
            var open: [UInt64: Int] = [:]
            for index in waiting {
                answers[index] = []
                try send(requests[index])
                open[lastRID] = index
            }
            while !open.isEmpty {
                let reply = try reply(until: deadline)
                guard let index = open[reply.rid] else { continue }
                answers[index].append(reply)
                if reply.isLast { open[reply.rid] = nil }
            }
            waiting = waiting.filter { answers[$0].last?.refusal == .busy }
            guard !waiting.isEmpty else { return answers }
            guard ContinuousClock.now < deadline else { throw CaseFailure("\(waiting.count) answers stay busy") }
            _ = try poller.wait(timeout: .milliseconds(20))
        }
    }

    /// Asks one question.
    mutating func answer(to request: @escaping (UInt64) -> ControlRequest) throws -> [ControlReply] {
        try answers(to: [request])[0]
    }

    private mutating func reply(until deadline: ContinuousClock.Instant) throws -> ControlReply {
        while true {
            if let message = try socket.receive() {
                let bytes = message.array
                return try ControlReply(decoding: bytes.span)
            }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw CaseFailure("a question got no answer") }
            _ = try poller.wait(timeout: left)
        }
    }
}

extension ControlReply {
    /// No reply to the same request follows.
    fileprivate var isLast: Bool {
        switch self {
        case .welcome, .complete, .gone, .digests, .accepted, .error: true
        case .records, .part, .evicted, .frame, .unknown: false
        }
    }

    /// Why the request was refused; nil where it was not.
    var refusal: ControlErrorCode? {
        if case .error(_, let code, _) = self { code } else { nil }
    }

    /// The heads in the reply.
    var heads: [Heads] {
        switch self {
        case .welcome(_, _, _, _, _, _, let heads, _), .complete(_, let heads), .digests(_, let heads, _): heads
        default: []
        }
    }
}
