import Foundation
import Synchronization
import Testing
import ZeroMQ

@Suite struct PollerTests {
    @Test func `a wait ends when a message arrives, and names the socket`() throws {
        let pair = try Pair(.pair, .pair)
        let other = try Pair(.pair, .pair)
        var poller = try Poller()
        let first = try poller.add(pair.bound)
        let second = try poller.add(other.bound)
        try send("x", on: other.connected)
        let result = try poller.wait(timeout: limit)
        #expect(result == Poller.PollResult.ready(1))
        #expect(poller.isReadable(first) == false)
        #expect(poller.isReadable(second) == true)
        #expect(try nextText(other.bound) == "x")
        #expect(try poller.wait(timeout: .zero) == .ready(0))
        #expect(poller.isReadable(second) == false)
    }

    @Test func `a message that was there before the wait is seen`() throws {
        let pair = try Pair(.pair, .pair, at: "inproc://before")
        try send("1", on: pair.connected)
        try send("2", on: pair.connected)
        var poller = try Poller()
        let token = try poller.add(pair.bound)
        for text in ["1", "2"] {
            #expect(try poller.wait(timeout: limit).readyCount == 1)
            #expect(poller.isReadable(token) == true)
            #expect(try nextText(pair.bound) == text)
        }
    }

    @Test func `a wait without an event ends after its time, not before`() throws {
        let pair = try Pair(.pair, .pair)
        var poller = try Poller()
        _ = try poller.add(pair.bound)
        let start = ContinuousClock.now
        let result = try poller.wait(timeout: .milliseconds(20))
        #expect(result == .ready(0))
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func `a socket that was found empty is looked at only when it signals or was used`() throws {
        let pair = try Pair(.pair, .pair, at: "inproc://passed-over")
        var poller = try Poller()
        let token = try poller.add(pair.bound)
        _ = try poller.wait(timeout: .zero)
        let found = poller.lookCount
        // Nobody has used it since.
        for _ in 0..<10 { _ = try poller.wait(timeout: .zero) }
        #expect(poller.lookCount == found)
        for number in 0..<100 {
            let before = poller.lookCount
            try send("\(number)", on: pair.connected)
            #expect(try poller.wait(timeout: limit).readyCount == 1)
            #expect(poller.isReadable(token) == true)
            #expect(try nextText(pair.bound) == "\(number)")
            var rest = Message()
            #expect(try pair.bound.receive(into: &rest) == false)
            _ = try poller.wait(timeout: .zero)
            // The one for the signal.
            #expect(poller.lookCount == before + 1)
        }
    }

    @Test func `a socket that was used is looked at, as the call may have taken the signal`() throws {
        let pair = try Pair(.pair, .pair, at: "inproc://used")
        var poller = try Poller()
        let token = try poller.add(pair.bound)
        for _ in 0..<200 {
            _ = try poller.wait(timeout: .zero)
            try send("x", on: pair.connected)
            // Each of these may take the command that tells of the message.
            #expect(try pair.bound.send(Message("y")) == .sent)
            try pair.bound.set(.linger, .zero)
            #expect(try poller.wait(timeout: limit).readyCount == 1)
            #expect(poller.isReadable(token) == true)
            #expect(try nextText(pair.bound) == "x")
            #expect(try nextText(pair.connected) == "y")
        }
    }

    @Test func `a socket that was found empty is not forgotten while another one always has something`() throws {
        let busy = try Pair(.pair, .pair)
        let quiet = try Pair(.pair, .pair)
        var poller = try Poller()
        let busyToken = try poller.add(busy.bound)
        let quietToken = try poller.add(quiet.bound)
        _ = try poller.wait(timeout: .zero)
        for _ in 0..<2 { try send("more", on: busy.connected) }
        try send("once", on: quiet.connected)
        let deadline = ContinuousClock.now + limit
        var isSeen = false
        while !isSeen, ContinuousClock.now < deadline {
            #expect(try poller.wait(timeout: limit).readyCount > 0)
            isSeen = poller.isReadable(quietToken)
            guard poller.isReadable(busyToken) else { continue }
            _ = try nextText(busy.bound)
            try send("more", on: busy.connected)
        }
        #expect(isSeen)
        #expect(try nextText(quiet.bound) == "once")
    }

    @Test func `a look without waiting sees what has come since a socket was found empty`() throws {
        let pair = try Pair(.pair, .pair)
        var poller = try Poller()
        let token = try poller.add(pair.bound)
        _ = try poller.wait(timeout: .zero)
        try send("x", on: pair.connected)
        let deadline = ContinuousClock.now + limit
        while !poller.isReadable(token), ContinuousClock.now < deadline { _ = try poller.wait(timeout: .zero) }
        #expect(poller.isReadable(token) == true)
        #expect(try nextText(pair.bound) == "x")
    }

    @Test func `what is left in a socket ends the next wait`() throws {
        let pair = try Pair(.pair, .pair)
        var poller = try Poller()
        let token = try poller.add(pair.bound)
        for _ in 0..<3 { try send("x", on: pair.connected) }
        for _ in 0..<3 {
            #expect(try poller.wait(timeout: limit).readyCount == 1)
            #expect(poller.isReadable(token) == true)
            #expect(try nextText(pair.bound) == "x")
        }
    }

    @Test func `writability is told when asked for`() throws {
        let lonely = try Socket(.push, in: Context())
        var poller = try Poller()
        let token = try poller.add(lonely, for: .writable)
        #expect(try poller.wait(timeout: .zero).readyCount == 0)
        try lonely.bind("tcp://127.0.0.1:*")
        let peer = try Socket(.pull, in: Context())
        try peer.connect(lonely.lastEndpoint())
        #expect(try poller.wait(timeout: limit).readyCount == 1)
        #expect(poller.isWritable(token) == true)
        poller.setInterest(.readable, of: token)
        #expect(try poller.wait(timeout: .zero).readyCount == 0)
    }

    @Test func `a closed socket leaves the set, and its place is not mistaken for the next one's`() throws {
        let pair = try Pair(.pair, .pair, at: "inproc://closing")
        var poller = try Poller()
        let short = try Socket(.push, in: Context())
        try short.bind("tcp://127.0.0.1:*")
        let old = try poller.add(short)
        short.close()
        #expect(try poller.wait(timeout: .zero) == .ready(0))
        #expect(poller.readiness(of: old) == [])
        let new = try poller.add(pair.bound)
        try send("x", on: pair.connected)
        #expect(try poller.wait(timeout: limit).readyCount == 1)
        #expect(poller.isReadable(new) == true)
        #expect(poller.isReadable(old) == false)
        poller.remove(old)
        #expect(poller.isReadable(new) == true)
        poller.remove(new)
        #expect(try poller.wait(timeout: .zero) == .ready(0))
    }

    @Test func `a wake before the wait is remembered, once`() throws {
        var poller = try Poller()
        for _ in 0..<1000 { poller.waker.wake() }
        #expect(try poller.wait(timeout: limit).isWoken)
        #expect(try poller.wait(timeout: .zero) == .ready(0))
        poller.waker.wake()
        #expect(try poller.wait(timeout: nil).isWoken)
    }

    @Test func `a wake from another thread ends a wait without a limit`() throws {
        var poller = try Poller()
        let waker = poller.waker
        for _ in 0..<200 {
            DispatchQueue.global().async { waker.wake() }
            #expect(try poller.wait(timeout: nil) == .woken)
        }
    }

    @Test func `no wake is lost between many threads and one poller`() throws {
        let (threadCount, perThread) = (4, 5_000)
        let work = Work()
        var poller = try Poller()
        let waker = poller.waker
        for _ in 0..<threadCount {
            Thread.detachNewThread {
                for _ in 0..<perThread {
                    work.add()
                    waker.wake()
                }
            }
        }
        var taken = 0
        while taken < threadCount * perThread {
            let result = try poller.wait(timeout: limit)
            try #require(result.isWoken, "a wake was lost after \(taken)")
            taken += work.takeAll()
        }
        #expect(taken == threadCount * perThread)
    }

    @Test func `a waker outlives its poller harmlessly`() throws {
        let waker = try Poller().waker
        for _ in 0..<10 { waker.wake() }
        #expect(try Poller().waker !== waker)
    }

    @Test func `a signal does not end a wait`() throws {
        var poller = try Poller()
        let pair = try Pair(.pair, .pair)
        let token = try poller.add(pair.bound)
        signal(SIGUSR2) { _ in }
        let thread = Interruptible()
        let waker = poller.waker
        DispatchQueue.global().async {
            for _ in 0..<50 { thread.interrupt() }
            waker.wake()
        }
        #expect(try poller.wait(timeout: limit) == .woken)
        #expect(poller.isReadable(token) == false)
    }

    @Test func `many messages through one poller arrive in order and none is stuck`() throws {
        let pair = try Pair(.pull, .push)
        var poller = try Poller()
        let readable = try poller.add(pair.bound)
        let writable = try poller.add(pair.connected, for: .writable)
        var (sent, received) = (0, 0)
        var message = Message()
        while received < 20_000 {
            let result = try poller.wait(timeout: limit)
            try #require(result.readyCount > 0, "stuck after \(sent) sent, \(received) received")
            if poller.isReadable(readable) {
                while try pair.bound.receive(into: &message) {
                    #expect(message.array == Array("\(received)".utf8))
                    received += 1
                }
            }
            if poller.isWritable(writable) {
                while sent < 20_000, try pair.connected.send(Message("\(sent)")) == .sent { sent += 1 }
                if sent == 20_000 { poller.setInterest([], of: writable) }
            }
        }
        #expect(sent == received)
    }
}

extension Poller.PollResult {
    static func ready(_ count: Int) -> Self { Self(readyCount: count, isWoken: false) }
    static let woken = Self(readyCount: 0, isWoken: true)
}

/// What the threads of a test leave for the one that polls.
private final class Work: Sendable {
    private let count = Atomic(0)

    func add() {
        count.add(1, ordering: .relaxed)
    }

    func takeAll() -> Int {
        count.exchange(0, ordering: .relaxed)
    }
}

/// The calling thread, to be interrupted by another while it waits.
private final class Interruptible: Sendable {
    private let thread = pthread_self()

    func interrupt() {
        pthread_kill(thread, SIGUSR2)
    }
}
