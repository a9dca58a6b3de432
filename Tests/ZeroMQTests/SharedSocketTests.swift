import Dispatch
import Testing
import ZeroMQ

/// A socket that threads use in turns.
@Suite(.timeLimit(.minutes(15)))
struct SharedSocketTests {
    @Test func `messages of several frames that threads send in turns arrive whole, each thread's in order`() throws {
        let context = try Context()
        let sender = try Socket(.push, in: context)
        try sender.bind("tcp://127.0.0.1:*")
        let receiver = try Socket(.pull, in: context)
        try receiver.connect(sender.lastEndpoint())
        let (threads, count) = (4, 2_000)
        let shared = try SharedSocket(sender)
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for number in 0..<count {
                    do {
                        try shared.withLock { socket throws(ZeroMQError) in
                            while try socket.send(Message([UInt8(thread)]), more: true) != .sent {}
                            _ = try socket.send(Message([UInt8(number >> 8), UInt8(number & 255)]))
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        var next = [Int](repeating: 0, count: threads)
        for _ in 0..<(threads * count) {
            let frames = try nextFrames(receiver)
            try #require(frames.count == 2)
            let thread = Int(frames[0][0])
            #expect(Int(frames[1][0]) << 8 | Int(frames[1][1]) == next[thread])
            next[thread] += 1
        }
        #expect(next == [Int](repeating: count, count: threads))
    }

    /// The signal for the thread that waits is taken by the one that sends.
    @Test func `what comes while another thread uses the socket is told to that thread, or ends the wait`() throws {
        let context = try Context()
        let publisher = try Socket(.xpub, in: context)
        try publisher.bind("tcp://127.0.0.1:*")
        let endpoint = try publisher.lastEndpoint()
        let shared = try SharedSocket(publisher)
        var poller = try Poller()
        let token = poller.add(shared)
        let waker = poller.waker
        let subscriber = try Socket(.sub, in: context)
        try subscriber.connect(endpoint)
        let isOver = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            // Uses the socket without a pause, so that it takes many of the signals.
            while isOver.wait(timeout: .now()) == .timedOut {
                let isReadable = try? shared.withLock { socket throws(ZeroMQError) in
                    _ = try socket.send(Message([0]))
                    return try socket.events().contains(.readable)
                }
                if isReadable == true { waker.wake() }
            }
            ended.signal()
        }
        for number in 0..<200 {
            let prefix = Array("topic-\(number)".utf8)
            try subscriber.subscribe(to: prefix)
            var told: [UInt8]?
            let deadline = ContinuousClock.now + limit
            while told == nil, ContinuousClock.now < deadline {
                _ = try poller.wait(timeout: deadline - .now)
                guard poller.isReadable(token) else { continue }
                told = try shared.withLock { socket throws(ZeroMQError) in try socket.receive()?.array }
            }
            #expect(told == [1] + prefix)
        }
        isOver.signal()
        ended.wait()
    }
}
