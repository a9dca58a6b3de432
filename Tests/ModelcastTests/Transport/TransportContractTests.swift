import TestSupport
import Testing

@testable import Modelcast

/// What the loops ask of a transport, on one thread that is both sides: each sentence of "The transport seam" in the
/// architecture article.
@Suite(.timeLimit(.minutes(15))) struct TransportContractTests {
    /// Both ends of one sender, driven by the thread that has made them.
    private final class Ends {
        let thread: any TransportThread
        let control: String
        private let network: TransportUnderTest
        private(set) var server: (any ServingEnd)?
        var subscribed: [[UInt8]] = []
        var requested: [(peer: [UInt8], request: [UInt8])] = []

        init(_ kind: TransportUnderTest.Kind) throws {
            network = try TransportUnderTest(kind)
            thread = try network.transport.implementation.openThread()
            control = network.control("a")
        }

        func serve() throws {
            server = try thread.serve(
                ServingSettings(
                    control: control, stream: control + "-stream", frameByteCount: 1 << 20, batchByteCount: 32 << 10,
                    subscriberQueueByteCount: 16 << 20, answersByteCount: 16 << 20, logger: silent))
        }

        func stopServing() { server = nil }

        func connect(_ greetings: ConnectionSettings.GreetingWatch = .waking) throws -> any RequestConnection {
            try thread.connect(to: control, settings(greetings))
        }

        func listen() throws -> any StreamConnection {
            try thread.listen(to: control + "-stream", of: control, settings(.untilGreeted))
        }

        private func settings(_ greetings: ConnectionSettings.GreetingWatch) -> ConnectionSettings {
            ConnectionSettings(frameByteCount: 1 << 20, queueByteCount: 16 << 20, greetings: greetings)
        }

        func reply(_ bytes: [UInt8], to peer: [UInt8]) throws -> Bool {
            guard let server else { return false }
            return try server.reply(to: peer, server.freight.load(bytes, for: peer))
        }

        /// Waits for long.
        /// - Returns: whether something has ended the wait, and not its time.
        func waitIsEnded() throws -> Bool {
            let (start, limit) = (ContinuousClock.now, Duration.seconds(120))
            try thread.wait(timeout: limit)
            return ContinuousClock.now - start < limit
        }

        /// Waits, and takes what has come to the server, until `condition` holds.
        func wait(until condition: () throws -> Bool) throws {
            let deadline = ContinuousClock.now + .seconds(120)
            while try !condition() {
                guard ContinuousClock.now < deadline else { throw CaseFailure("it did not come in time") }
                try thread.wait(timeout: .milliseconds(20))
                try server?.receive(
                    subscribed: { subscribed.append($0) }, requested: { requested.append(($0.peer, $0.payload)) })
            }
        }
    }

    /// Runs `body` with both ends on a thread of its own.
    private func with(_ kind: TransportUnderTest.Kind, _ body: @escaping @Sendable (Ends) throws -> Void) async throws {
        try await SocketThread.run(named: "contract") { try body(Ends(kind)) }
    }

    private static func drain(_ stream: any StreamConnection, into topics: inout [[UInt8]]) throws {
        try stream.receive(atMost: 64) { topic, _ in
            topics.append(array(topic))
            return true
        } malformed: { _ in
            true
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `who hears its barrier has all subscriptions before it in force`(kind: TransportUnderTest.Kind) async throws {
        try await with(kind) { ends in
            let stream = try ends.listen()
            for prefix: [UInt8] in [[1], [2], [0xFF, 7]] { try stream.subscribe(to: prefix) }
            // Connected and subscribed before there is anybody.
            try ends.serve()
            try ends.wait { ends.subscribed.contains([0xFF, 7]) }
            for topic: [UInt8] in [[1, 1], [3, 3], [2, 2], [0xFF, 7]] {
                try ends.server?.stream?.publish(topic: topic, [])
            }
            var topics: [[UInt8]] = []
            try ends.wait {
                try Self.drain(stream, into: &topics)
                return topics.last == [0xFF, 7]
            }
            #expect(topics == [[1, 1], [2, 2], [0xFF, 7]])
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `messages that a turn leaves come in the next, and end the wait at once`(
        kind: TransportUnderTest.Kind
    ) async throws {
        try await with(kind) { ends in
            try ends.serve()
            let stream = try ends.listen()
            try stream.subscribe(to: [])
            try ends.wait { ends.subscribed == [[]] }
            for number in 0..<100 { try ends.server?.stream?.publish(topic: [UInt8(number)], []) }
            var topics: [UInt8] = []
            while topics.count < 100 {
                guard try ends.waitIsEnded() else { throw CaseFailure("\(topics.count) messages have come") }
                try stream.receive(atMost: 64) { topic, _ in
                    topics.append(topic[0])
                    return topics.count % 3 != 0
                } malformed: { _ in
                    true
                }
            }
            #expect(topics == (0..<100).map { UInt8($0) })
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `requests and replies arrive in order, and a peer keeps its number`(kind: TransportUnderTest.Kind) async throws
    {
        try await with(kind) { ends in
            let (first, second) = (try ends.connect(), try ends.connect())
            for number: UInt8 in 0..<10 { try first.send([number]) }
            try second.send([99])
            try ends.serve()
            try ends.wait { ends.requested.count == 11 }
            let ours = ends.requested.filter { $0.request != [99] }
            #expect(ours.map(\.request) == (0..<10).map { [UInt8($0)] })
            #expect(Set(ours.map(\.peer)).count == 1)
            #expect(Set(ends.requested.map(\.peer)).count == 2)
            for number: UInt8 in 0..<10 { #expect(try ends.reply([number], to: ours[0].peer)) }
            var replies: [[UInt8]] = []
            try ends.wait {
                while try first.receive({ replies.append(array($0)) }) == .reply {}
                return replies.count == 10
            }
            #expect(replies == (0..<10).map { [UInt8($0)] })
            let receipt = try second.receive { _ in }
            #expect(receipt == .nothing)
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a greeting is told, then its loss, and then nothing more`(kind: TransportUnderTest.Kind) async throws {
        try await with(kind) { ends in
            let connection = try ends.connect(.always)
            #expect(try connection.look() == .pending)
            try ends.serve()
            var told: [Greeting] = []
            func look() throws {
                let greeting = try connection.look()
                if greeting != .pending { told.append(greeting) }
            }
            try ends.wait {
                try look()
                return told == [.succeeded]
            }
            ends.stopServing()
            try ends.wait {
                try look()
                return told == [.succeeded, .lost]
            }
            try ends.serve()
            // The connection is there again by itself.
            try connection.send([1])
            try ends.wait { !ends.requested.isEmpty }
            try look()
            #expect(told == [.succeeded, .lost])
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a reply to who has gone, or was never there, is refused`(kind: TransportUnderTest.Kind) async throws {
        try await with(kind) { ends in
            try ends.serve()
            #expect(try ends.reply([1], to: [0, 1, 2, 3, 4]) == false)
            var connection: (any RequestConnection)? = try ends.connect()
            try connection?.send([1])
            try ends.wait { !ends.requested.isEmpty }
            let peer = ends.requested[0].peer
            #expect(try ends.reply([1], to: peer))
            connection = nil
            try ends.wait { try !ends.reply([1], to: peer) }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a peer that is cut comes back as another, and the freight learns what has left`(
        kind: TransportUnderTest.Kind
    ) async throws {
        try await with(kind) { ends in
            try ends.serve()
            let connection = try ends.connect(.always)
            try connection.send([1])
            try ends.wait { ends.requested.count == 1 }
            let peer = ends.requested[0].peer
            for _ in 0..<3 { #expect(try ends.reply([UInt8](repeating: 0, count: 1 << 10), to: peer)) }
            ends.server?.cut([peer])
            // The other side must look to take it in.
            try ends.wait {
                _ = try connection.receive { _ in }
                return try connection.look() == .lost
            }
            try ends.wait {
                try connection.send([2])
                return ends.requested.contains { $0.request == [2] && $0.peer != peer }
            }
            while try connection.receive({ _ in }) == .reply {}
            var departed = 0
            try ends.wait {
                departed += ends.server?.freight.takeReleased().count { $0.peer == peer } ?? 0
                return departed == 3
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `what was sent before an end arrives after it`(kind: TransportUnderTest.Kind) async throws {
        try await with(kind) { ends in
            try ends.serve()
            let stream = try ends.listen()
            try stream.subscribe(to: [])
            let connection = try ends.connect()
            try connection.send([1])
            try ends.wait { ends.subscribed == [[]] && ends.requested.count == 1 }
            try ends.server?.stream?.publish(topic: [5], [])
            #expect(try ends.reply([6], to: ends.requested[0].peer))
            ends.stopServing()
            var topics: [[UInt8]] = []
            var replies = 0
            try ends.wait {
                try Self.drain(stream, into: &topics)
                if try connection.receive({ _ in }) == .reply { replies += 1 }
                return topics == [[5]] && replies == 1
            }
        }
    }

    @Test(arguments: TransportUnderTest.Kind.allCases)
    func `a wake ends a wait, also one that came before`(kind: TransportUnderTest.Kind) async throws {
        try await with(kind) { ends in
            ends.thread.waker.wake()
            let isEnded = try ends.waitIsEnded()
            #expect(isEnded)
        }
    }
}

private func array(_ span: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return bytes
}
