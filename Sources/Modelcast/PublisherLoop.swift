import Logging
import ModelCache
import ModelSync
import ModelWire
import ZeroMQ

/// A publisher's socket thread: owns the stream's XPUB and the control's ROUTER, and feeds the origin.
struct PublisherLoop: ~Copyable {
    private let publisher: Publisher
    private let stream: Socket
    private let control: Socket
    private var poller: Poller
    private let streamToken: Poller.Token
    private let controlToken: Poller.Token
    private var message = Message()
    private var metrics: CounterMetrics

    /// How many messages are taken from a socket before the others get their turn.
    private static let burst = 256

    /// Makes and binds the sockets.
    init(publisher: Publisher) throws(ModelcastError) {
        do throws(ZeroMQError) {
            try self.init(binding: publisher)
        } catch {
            let failure = ModelcastError(.endpoint, error.description)
            publisher.settleBound(.failure(failure))
            throw failure
        }
    }

    private init(binding publisher: Publisher) throws(ZeroMQError) {
        let configuration = publisher.configuration
        let context = try Context()
        let stream = try Socket(.xpub, in: context)
        let control = try Socket(.router, in: context)
        try PublisherLoop.configure(stream, control, configuration)
        try stream.bind(configuration.endpoints.stream)
        try control.bind(configuration.endpoints.control)
        var poller = try Poller()
        let tokens = (try poller.add(stream), try poller.add(control))
        var bound = configuration.endpoints
        bound.stream = try stream.lastEndpoint()
        bound.control = try control.lastEndpoint()
        let (waker, told) = (poller.waker, bound)
        publisher.core.withLock { core in
            core.waker = waker
            core.origin.rename(streamEndpoint: told.stream)
        }
        publisher.settleBound(.success(bound))
        publisher.logger.info(
            "publisher is serving",
            metadata: ["origin": "\(configuration.name)", "control": "\(bound.control)", "stream": "\(bound.stream)"])
        metrics = CounterMetrics(label: "modelcast_publisher", name: configuration.name)
        (streamToken, controlToken) = tokens
        self.publisher = publisher
        self.stream = stream
        self.control = control
        self.poller = poller
    }

    private static func configure(
        _ stream: borrowing Socket, _ control: borrowing Socket, _ configuration: PublisherConfiguration
    ) throws(ZeroMQError) {
        try stream.applyDefaults(
            frameLimit: configuration.limits.frameByteCount, memoryLimit: configuration.subscriberQueueByteCount)
        // Frames are about one batch; the memory bound is kept by counting those, not the greatest frame allowed.
        let frames = max(2, configuration.subscriberQueueByteCount / max(1, configuration.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, .seconds(1))
        try control.applyDefaults(
            frameLimit: configuration.limits.frameByteCount, memoryLimit: configuration.subscriberQueueByteCount)
        try control.set(.linger, .seconds(1))
    }

    /// Serves until the publisher is stopped.
    consuming func run() throws {
        while try step() {}
        let now = Clocks.now()
        let actions = publisher.core.withLock { core in
            core.origin.stop(now: now)
            return core.origin.takeActions()
        }
        try send(actions)
        publisher.logger.info("publisher has stopped", metadata: ["origin": "\(publisher.configuration.name)"])
        publisher.core.withLock { $0.waker = nil }
        stream.close(linger: .seconds(1))
        control.close(linger: .seconds(1))
    }

    /// One round: send what there is, wait, take what came.
    private mutating func step() throws -> Bool {
        let now = Clocks.now()
        let delay = publisher.configuration.batchDelay
        let (work, isStopped, counters) = publisher.core.withLock { core in
            (core.takeWork(now: now, batchDelay: delay), core.isStopped, core.origin.counters)
        }
        try send(work.actions)
        metrics.update(counters, now: now)
        if isStopped { return false }
        let time = Clocks.now().uptimeMicroseconds
        let timeout = work.wakeAt > time ? work.wakeAt - time : 0
        _ = try poller.wait(timeout: .microseconds(timeout))
        if poller.isReadable(streamToken) { try receiveSubscriptions() }
        if poller.isReadable(controlToken) { try receiveRequests() }
        return true
    }

    private func send(_ actions: [OriginAction]) throws(ZeroMQError) {
        for action in actions {
            switch action {
            case .publish(let topic, let payload):
                let sent = try stream.send(Message(topic.bytes), more: true)
                // XPUB drops for a full peer and never refuses; were the first frame refused, so must be the second.
                if sent == .sent { _ = try stream.send(PublisherLoop.message(payload)) }
            case .reply(let peer, let payload):
                let sent = try control.send(Message(peer), more: true)
                if sent == .sent {
                    _ = try control.send(PublisherLoop.message(payload))
                } else {
                    // Gone, or not reading: what it has asked for is forgotten, and it will ask again.
                    publisher.core.withLock { $0.origin.disconnected(peer) }
                }
            }
        }
    }

    /// Large payloads are handed over without a copy.
    private static func message(_ payload: [UInt8]) -> Message {
        payload.count >= 1024 ? Message(adopting: payload) : Message(payload)
    }

    /// XPUB tells subscriptions as one frame: 1 or 0, then the prefix.
    private mutating func receiveSubscriptions() throws(ZeroMQError) {
        for _ in 0..<PublisherLoop.burst {
            guard try stream.receive(into: &message) else { return }
            let frame = message.array
            guard frame.first == 1 else { continue }
            let now = Clocks.now()
            publisher.core.withLock { $0.origin.subscribed(to: Array(frame.dropFirst()), now: now) }
        }
    }

    /// A request is the peer's identity and one frame; what has more frames is not ours.
    private mutating func receiveRequests() throws(ZeroMQError) {
        for _ in 0..<PublisherLoop.burst {
            guard try control.receive(into: &message) else { return }
            let peer = message.array
            var frames: [[UInt8]] = []
            var hasMore = message.hasMore
            while hasMore, try control.receive(into: &message) {
                if frames.count < 2 { frames.append(message.array) }
                hasMore = message.hasMore
            }
            let now = Clocks.now()
            let payload = frames.count == 1 ? frames[0] : []
            publisher.core.withLock { $0.origin.receive(payload.span, from: peer, now: now) }
        }
    }
}
