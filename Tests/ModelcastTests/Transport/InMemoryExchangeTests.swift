import Logging
import Testing
import ZeroMQ

@testable import Modelcast

/// The queues of a bus, step by step, without a thread.
@Suite struct InMemoryExchangeTests {
    private var exchange = InMemoryExchange()
    private let waker: Waker

    init() throws { waker = try Poller().waker }

    /// Binds `memory://a` and its stream.
    private mutating func bind(queueByteCount: Int = 100, control: String = "memory://a") throws {
        _ = try exchange.bind(
            ServingSettings(
                control: control, stream: control + "-stream", frameByteCount: 1, batchByteCount: 1,
                subscriberQueueByteCount: queueByteCount, answersByteCount: 1, logger: silent), waker)
    }

    private mutating func unbind() {
        exchange.unbindControl("memory://a")
        exchange.unbindStream("memory://a-stream")
    }

    private let link = InMemoryExchange.Link(service: "b", control: "memory://a")

    private mutating func listen(_ prefixes: String...) -> InMemoryExchange.ID {
        let id = exchange.listen(to: "memory://a-stream", on: link, waker, queueByteCount: 100)
        for prefix in prefixes { exchange.subscribe(id, to: Array(prefix.utf8)) }
        return id
    }

    private mutating func connect() -> InMemoryExchange.ID {
        exchange.connect(to: "memory://a", by: link.service, waker, queueByteCount: 100)
    }

    private mutating func publish(_ topic: String, byteCount: Int = 1) {
        let message = InMemoryExchange.StreamMessage(
            topic: Array(topic.utf8), payload: [UInt8](repeating: 0, count: byteCount - topic.utf8.count))
        exchange.publish(message, at: "memory://a-stream")
    }

    private mutating func topics(_ id: InMemoryExchange.ID, atMost countMax: Int = .max) -> [String] {
        exchange.takeMessages(of: id, atMost: countMax).0.map { String(decoding: $0.topic, as: UTF8.self) }
    }

    private mutating func requests() -> [(peer: InMemoryExchange.ID, request: [UInt8])] {
        exchange.takeRequests(at: "memory://a", atMost: .max, byteCountMax: .max).requests
    }

    /// - Returns: how many of `count` replies have found room.
    private mutating func reply(_ bytes: [UInt8] = [1], to peer: InMemoryExchange.ID, count: Int = 1) -> Int {
        var taken = 0
        for _ in 0..<count where exchange.reply(HeldMessage(bytes) { _ in }, to: peer) { taken += 1 }
        return taken
    }

    private mutating func replies(of id: InMemoryExchange.ID) -> [[UInt8]] {
        var replies: [[UInt8]] = []
        while let reply = exchange.takeReply(of: id).0 { replies.append(reply.bytes) }
        return replies
    }

    private mutating func subscriptions(atMost countMax: Int = .max) -> (prefixes: [[UInt8]], hasMore: Bool) {
        let (prefixes, hasMore) = exchange.takeSubscriptions(at: "memory://a-stream", atMost: countMax)
        return (prefixes, hasMore)
    }

    // MARK: Streams

    @Test mutating func `a message goes to those who have subscribed to a prefix of its topic, in order`() throws {
        try bind()
        let (all, one, none) = (listen(""), listen("m/b", "m/bc"), listen())
        for topic in ["m/a", "m/b", "m/bc"] { publish(topic, byteCount: 4) }
        #expect(topics(all) == ["m/a", "m/b", "m/bc"])
        #expect(topics(one) == ["m/b", "m/bc"])
        #expect(topics(none) == [])
    }

    @Test mutating func `two subscriptions to one prefix take two to undo`() throws {
        try bind()
        let id = listen("m/", "m/")
        exchange.unsubscribe(id, from: Array("m/".utf8))
        publish("m/a", byteCount: 3)
        exchange.unsubscribe(id, from: Array("m/".utf8))
        publish("m/b", byteCount: 3)
        #expect(topics(id) == ["m/a"])
    }

    @Test mutating func `a full queue loses messages until it is half empty, and only its own`() throws {
        try bind(queueByteCount: 100)
        // Room for 100 bytes at each side.
        let (slow, quick) = (listen(""), listen(""))
        for _ in 0..<10 {
            for topic in ["a", "b"] { publish(topic, byteCount: 20) }
            #expect(topics(quick) == ["a", "b"])
        }
        // Ten have found room. Six are left, which is more than half.
        #expect(topics(slow, atMost: 4) == ["a", "b", "a", "b"])
        publish("c", byteCount: 20)
        #expect(topics(slow, atMost: 1) == ["a"])
        publish("d", byteCount: 20)
        #expect(topics(slow) == ["b", "a", "b", "a", "b", "d"])
    }

    @Test mutating func `a message that is longer than the queue fits into an empty one`() throws {
        try bind(queueByteCount: 100)
        let id = listen("")
        publish("a", byteCount: 1_000)
        publish("b", byteCount: 1)
        #expect(topics(id) == ["a"])
    }

    @Test mutating func `subscriptions are told in their order, and again after a restart`() throws {
        let id = listen("b", "a")
        try bind()
        let first = subscriptions(atMost: 1)
        #expect(first.prefixes == [[98]] && first.hasMore)
        #expect(subscriptions().prefixes == [[97]])
        publish("a")
        unbind()
        publish("a")
        try bind()
        #expect(subscriptions().prefixes == [[98], [97]])
        publish("b")
        // What was sent before the end is read still.
        #expect(topics(id) == ["a", "b"])
        exchange.unlisten(id)
        publish("b")
        #expect(exchange.listeners.isEmpty && exchange.streams["memory://a-stream"]?.listeners.isEmpty == true)
    }

    // MARK: Requests

    @Test mutating func `requests wait for who answers, and come in the order in which they were made`() throws {
        let (first, second) = (connect(), connect())
        exchange.send([1], by: first)
        #expect(exchange.look(first) == .pending)
        try bind()
        exchange.send([2], by: second)
        exchange.send([3], by: first)
        #expect(exchange.look(first) == .succeeded)
        #expect(exchange.look(first) == .pending)
        let taken = requests()
        #expect(taken.map(\.request) == [[1], [2], [3]])
        #expect(taken[0].peer == taken[2].peer && taken[0].peer != taken[1].peer)
        #expect(reply([9], to: taken[1].peer) == 1)
        #expect(replies(of: first) == [])
        #expect(replies(of: second) == [[9]])
    }

    @Test mutating func `requests beyond the room are lost`() throws {
        let id = connect()
        for byte in 0..<3 { exchange.send([UInt8](repeating: UInt8(byte), count: 60), by: id) }
        try bind()
        #expect(requests().map(\.request.first) == [0, 1])
        exchange.send([7], by: id)
        #expect(requests().map(\.request) == [[7]])
    }

    @Test mutating func `a burst ends with its number or bytes of requests`() throws {
        try bind()
        let id = connect()
        for byte in 0..<5 { exchange.send([UInt8](repeating: UInt8(byte), count: 10), by: id) }
        let one = exchange.takeRequests(at: "memory://a", atMost: 1, byteCountMax: 100)
        #expect(one.requests.count == 1 && one.hasMore)
        let two = exchange.takeRequests(at: "memory://a", atMost: 9, byteCountMax: 11)
        #expect(two.requests.count == 2 && two.hasMore)
        let rest = exchange.takeRequests(at: "memory://a", atMost: 9, byteCountMax: 100)
        #expect(rest.requests.count == 2 && !rest.hasMore)
    }

    @Test mutating func `replies to a peer that does not read are refused beyond the room`() throws {
        try bind(queueByteCount: 2_000)
        let id = connect()
        exchange.send([1], by: id)
        let peer = try #require(requests().first?.peer)
        #expect(reply(to: peer, count: 2_100) == 2_000)
        let first = exchange.takeReply(of: id)
        #expect(first.0 != nil && first.hasMore)
        #expect(reply(to: peer, count: 2) == 1)
    }

    @Test mutating func `what a peer has asked before it went is read, and its reply refused`() throws {
        try bind()
        let id = connect()
        exchange.send([1], by: id)
        exchange.send([2], by: id)
        _ = exchange.disconnect(id)
        let taken = requests()
        #expect(taken.map(\.request) == [[1], [2]])
        #expect(reply(to: taken[0].peer) == 0)
        #expect(exchange.requesters.isEmpty && exchange.peers.isEmpty)
    }

    @Test mutating func `a peer that is cut loses what waits for it, and is another peer from then on`() throws {
        try bind()
        let id = connect()
        exchange.send([1], by: id)
        let peer = try #require(requests().first?.peer)
        #expect(reply(to: peer) == 1)
        exchange.send([2], by: id)
        #expect(exchange.cut(peer).count == 1)
        #expect(exchange.look(id) == .lost)
        #expect(replies(of: id) == [])
        #expect(reply(to: peer) == 0)
        exchange.send([3], by: id)
        let taken = requests()
        #expect(taken.map(\.request) == [[3]] && taken[0].peer != peer)
    }

    @Test mutating func `after a restart a peer has another number, and unread requests are lost`() throws {
        try bind()
        let id = connect()
        exchange.send([1], by: id)
        let peer = try #require(requests().first?.peer)
        #expect(reply([5], to: peer) == 1)
        exchange.send([2], by: id)
        unbind()
        exchange.send([3], by: id)
        try bind()
        #expect(exchange.look(id) == .lost)
        let taken = requests()
        #expect(taken.map(\.request) == [[3]] && taken[0].peer != peer)
        #expect(replies(of: id) == [[5]], "what was sent before the end is read still")
    }

    @Test mutating func `a name is bound once, and both endpoints or none`() throws {
        try bind()
        for control in ["memory://a", "memory://a-stream"] {
            let error = #expect(throws: ModelcastError.self) { try bind(control: control) }
            #expect(error?.code == .endpoint)
        }
        #expect(!exchange.isStream("memory://a-stream-stream"))
    }
}
