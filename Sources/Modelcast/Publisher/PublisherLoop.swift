import Foundation
import Logging
import ModelCache
import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// A publisher's socket thread. It owns the connections that serve and those that push, and drives the origin.
struct PublisherLoop: ~Copyable {
    let publisher: Publisher
    let sockets: (any ServingEnd)?
    let pushes: PushLinks?
    private let thread: any TransportThread
    let clock: ServiceClock
    private let notices: NoticeLog
    private var metrics: CounterMetrics
    /// The messages that wait for the disk; nil where none have to wait.
    let outbox: DurableOutbox?
    var storeProgress: StoreProgress
    private var grants = GrantReview()
    var pushStart = PushStart()

    /// Batches were held back when the last work was taken.
    private var isLoaded = false
    /// When those who wait for subscribers look at the reports again.
    private var nextAudience: UInt64 = 0

    /// How often those who wait for subscribers look at the reports, at most.
    private static let audienceMicroseconds: UInt64 = 20_000
    /// How often the pusher is driven while anything is under way.
    private static let pushMicroseconds: UInt64 = 20_000

    /// Binds the endpoints.
    init(publisher: Publisher) throws(ModelcastError) {
        let configuration = publisher.configuration
        let (thread, sockets) = try publisher.bound.binding { () throws(ModelcastError) in
            let thread = try configuration.transport.implementation.openThread()
            guard let settings = configuration.serving(publisher.logger) else {
                return (thread, (any ServingEnd)?.none)
            }
            return (thread, try thread.serve(settings))
        }
        let pushes =
            configuration.relays.isEmpty ? nil : PushLinks(configuration, on: thread, logger: publisher.logger)
        let (waker, stream) = (thread.waker, sockets?.bound.stream)
        (self.sockets, self.pushes) = (sockets, pushes)
        outbox = configuration.durability == .beforeSend ? publisher.store.map { DurableOutbox($0) } : nil
        storeProgress = publisher.core.withLock { StoreProgress($0.pruner, incarnation: $0.origin.incarnation) }
        publisher.store?.mail.wake(waker)
        self.thread = thread
        clock = publisher.clock
        self.publisher = publisher
        notices = NoticeLog(publisher.logger, publisher.configuration.security?.access)
        metrics = CounterMetrics(
            label: "modelcast_publisher", name: configuration.name, problems: publisher.problems)
        publisher.core.withLock { core in
            core.waker = waker
            if let stream { core.origin.rename(streamEndpoint: stream) }
            // A batch that has to be in a store first, or that is pushed, goes through this thread.
            if core.keeper == nil, core.push == nil { core.stream = sockets?.stream }
        }
        tellBound()
    }

    private func tellBound() {
        let name = publisher.configuration.name
        guard let bound = sockets?.bound else {
            publisher.bound.settle(
                .failure(ModelcastError(.configuration, "the publisher \(name) only pushes: it binds nothing")))
            return publisher.logger.info("publisher is pushing", metadata: ["origin": "\(name)"])
        }
        publisher.bound.settle(.success(bound))
        publisher.logger.info(
            "publisher is serving",
            metadata: ["origin": "\(name)", "control": "\(bound.control)", "stream": "\(bound.stream)"])
    }

    /// Serves until the publisher is stopped.
    consuming func run() throws {
        let publisher = publisher
        // Timers are exact, as under a light load batches are held back for less than the kernel would add.
        ThreadTiming.sharpenTimers()
        // Also after a failure: the thread cannot be woken any more, and the stream has to be closed.
        defer {
            publisher.core.withLock { core in
                core.waker = nil
                core.stream = nil
            }
        }
        while try step() {}
        try finish()
        publisher.logger.info("publisher has stopped", metadata: ["origin": "\(publisher.configuration.name)"])
    }

    /// One round: sends what there is, waits, receives.
    private mutating func step() throws -> Bool {
        let work = takeWork()
        let now = clock.now()
        publisher.pulse.beat(now)
        if let failure = work.streamFailure { throw failure }
        grants.review(publisher, isServing: sockets != nil, now: now)
        keep(work.incarnation)
        follow(work.incarnation)
        try send(work.actions)
        sockets?.stream?.isBusy = false
        try keep(now: now)
        try push(now: now)
        publisher.admitWriters()
        tellAudience(now: now.uptimeMicroseconds)
        let hasMore = try makeAnswers(isAsked: work.hasAnswers)
        metrics.update(work.counters, now: now)
        if work.isStopped { return false }
        let time = clock.now().uptimeMicroseconds
        var wakeAt = pushes == nil ? work.wakeAt : min(work.wakeAt, time + PublisherLoop.pushMicroseconds)
        if let deadline = outbox?.nextDeadline { wakeAt = min(wakeAt, deadline) }
        if let look = sockets?.nextLook { wakeAt = min(wakeAt, look) }
        try thread.wait(timeout: .microseconds(wakeAt > time && !hasMore ? wakeAt - time : 0))
        try receive()
        return true
    }

    /// Lets those who wait for subscribers look at the reports that have come.
    private mutating func tellAudience(now: UInt64) {
        guard now >= nextAudience else { return }
        nextAudience = now + PublisherLoop.audienceMicroseconds
        publisher.applied.lookAgain()
    }

    /// Takes the work of this round.
    ///
    /// Under load writers may have the lock nearly all the time, and a thread that queues for it stops them until it
    /// has been scheduled. So this thread tries again a little later instead, for at most as long as a batch may be
    /// held back.
    private mutating func takeWork() -> PublisherWork {
        let work = isLoaded ? takeWorkPatiently() : takeWorkAtOnce()
        isLoaded = work.isHeldBack
        return work
    }

    private func takeWorkAtOnce() -> PublisherWork {
        let now = clock.now()
        return publisher.core.withLock { $0.takeWork(now: now) }
    }

    private func takeWorkPatiently() -> PublisherWork {
        var now = clock.now()
        let patience = now.uptimeMicroseconds + publisher.configuration.batchDelay.wholeMicroseconds
        while now.uptimeMicroseconds < patience {
            let time = now
            let work = publisher.core.withLockIfAvailable { $0.takeWork(now: time) }
            if let work { return work }
            Thread.sleep(forTimeInterval: PublisherLoop.pauseSeconds)
            now = clock.now()
        }
        return takeWorkAtOnce()
    }

    /// The pause before the lock is tried again.
    private static let pauseSeconds = 50e-6

    private mutating func receive() throws {
        try sockets?.receive(
            subscribed: { prefix in
                let now = clock.now()
                publisher.core.withLock { $0.origin.subscribed(to: prefix, now: now) }
            },
            requested: { request in
                let now = clock.now()
                let decoded = request.decoded(publisher.configuration.limits)
                publisher.core.withLock { $0.origin.receive(decoded, from: request.peer, now: now) }
            })
        guard let refused = sockets?.takeRefused(), !refused.isEmpty else { return }
        publisher.core.withLock { $0.origin.countRefused(refused, now: clock.now()) }
    }

    func send(_ actions: [OriginAction]) throws(ModelcastError) {
        for action in actions {
            switch action {
            case .publish(let topic, let payload):
                if let outbox { outbox.append(.stream(topic, payload)) } else { try publish(topic, payload) }
            case .reply(let peer, let payload):
                try answer(peer, payload)
            case .notice(let notice): notices.log(notice, now: clock.now())
            }
        }
    }

    func send(_ messages: [DurableOutbox.Message]) throws(ModelcastError) {
        for message in messages {
            switch message {
            case .stream(let topic, let payload): try publish(topic, payload)
            case .reply(let peer, let load): try reply(to: peer, load)
            }
        }
    }

    func publish(_ topic: Topic, _ payload: [UInt8]) throws(ModelcastError) {
        try sockets?.stream?.publish(topic: topic.bytes, payload)
        pushes?.push(topic, payload)
    }
}

extension PublisherConfiguration {
    fileprivate func serving(_ logger: Logger) -> ServingSettings? {
        endpoints.map { endpoints in
            ServingSettings(
                control: endpoints.control, stream: endpoints.stream, frameByteCount: limits.frameByteCount,
                batchByteCount: batchByteCount, subscriberQueueByteCount: subscriberQueueByteCount,
                answersByteCount: answersByteCount, security: security, logger: logger)
        }
    }
}
