import Foundation
import Logging
import ModelCache
import ModelStore
import ModelSync
import ModelWire
import ZeroMQ

/// A publisher's socket thread: owns the sockets that serve and those that push, and feeds the origin.
struct PublisherLoop: ~Copyable {
    private let publisher: Publisher
    private let sockets: ServingSockets?
    private let pushes: PushLinks?
    private var poller: Poller
    private var metrics: CounterMetrics
    /// Where batches wait for the disk; nil where they need not.
    private let outbox: DurableOutbox?
    private var pruner: BatchPruner
    /// The start of the origin that the store was asked to keep before its batches.
    private var keptIncarnation: UInt64
    /// The store has told of a failure, and not yet of its end.
    private var storeFailure: StoreError?

    /// Batches were held back when the last work was taken.
    private var isLoaded = false
    /// What writers were told last of the store.
    private var toldFailure = false
    private var toldByteCount = 0

    /// So many messages of answers are made before the stream has its turn.
    private static let answerBurst = 8

    /// How often the pusher is looked at while anything is under way.
    private static let pushMicroseconds: UInt64 = 20_000

    /// Makes and binds the sockets.
    init(publisher: Publisher) throws(ModelcastError) {
        do throws(ZeroMQError) {
            try self.init(binding: publisher)
        } catch {
            throw publisher.bound.failed(error)
        }
    }

    private init(binding publisher: Publisher) throws(ZeroMQError) {
        let configuration = publisher.configuration
        var poller = try Poller()
        let sockets = try ServingSockets.bind(
            configuration.sockets(publisher.logger), poller: &poller)
        let pushes = configuration.relays.isEmpty ? nil : try PushLinks(configuration, logger: publisher.logger)
        let (waker, stream) = (poller.waker, sockets?.streamEndpoint)
        (self.sockets, self.pushes) = (sockets, pushes)
        outbox = configuration.durability == .beforeSend ? publisher.store.map { DurableOutbox($0) } : nil
        (pruner, keptIncarnation) = publisher.core.withLock { ($0.pruner, $0.origin.incarnation) }
        publisher.store?.mail.wake(waker)
        self.poller = poller
        self.publisher = publisher
        metrics = CounterMetrics(
            label: "modelcast_publisher", name: configuration.name, problems: publisher.problems)
        publisher.core.withLock { core in
            core.waker = waker
            if let stream { core.origin.rename(streamEndpoint: stream) }
            // Whatever has to be in a store first, or is pushed, goes through this thread.
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
        // Under a light load batches are held back for less than the kernel would add.
        ThreadTiming.sharpenTimers()
        // Also where it fails: nobody is left to be woken, and the stream is to be closed.
        defer {
            publisher.core.withLock { core in
                core.waker = nil
                core.stream = nil
            }
        }
        while try step() {}
        let now = Clocks.now()
        let (actions, incarnation) = publisher.core.withLock { core in
            core.stream = nil
            core.origin.stop(now: now)
            core.noteForStore(now: now)
            return (core.origin.takeActions(), core.origin.incarnation)
        }
        keep(incarnation)
        try send(actions)
        try drain(now: now)
        publisher.logger.info("publisher has stopped", metadata: ["origin": "\(publisher.configuration.name)"])
    }

    /// One round: send what there is, wait, take what came.
    private mutating func step() throws -> Bool {
        let work = takeWork()
        let now = Clocks.now()
        if let failure = work.streamFailure { throw failure }
        keep(work.incarnation)
        follow(work.incarnation)
        try send(work.actions)
        sockets?.stream?.isBusy = false
        try keep(now: now)
        try push(now: now)
        let hasMore = try makeAnswers(isAsked: work.hasAnswers)
        metrics.update(work.counters, now: now)
        if work.isStopped { return false }
        let time = Clocks.now().uptimeMicroseconds
        var wakeAt = pushes == nil ? work.wakeAt : min(work.wakeAt, time + PublisherLoop.pushMicroseconds)
        if let deadline = outbox?.nextDeadline { wakeAt = min(wakeAt, deadline) }
        _ = try poller.wait(timeout: .microseconds(wakeAt > time && !hasMore ? wakeAt - time : 0))
        try receive()
        return true
    }

    /// What there is to do.
    ///
    /// Under load writers may have the lock nearly all the time; a thread that queues for it stops them until it has
    /// been scheduled: this one comes again a little later instead, for as long as a batch may be held back at most.
    private mutating func takeWork() -> PublisherWork {
        let work = isLoaded ? takeWorkPatiently() : takeWorkAtOnce()
        isLoaded = work.isHeldBack
        return work
    }

    private func takeWorkAtOnce() -> PublisherWork {
        let now = Clocks.now()
        return publisher.core.withLock { $0.takeWork(now: now) }
    }

    private func takeWorkPatiently() -> PublisherWork {
        var now = Clocks.now()
        let patience = now.uptimeMicroseconds + publisher.configuration.batchDelay.wholeMicroseconds
        while now.uptimeMicroseconds < patience {
            let time = now
            let work = publisher.core.withLockIfAvailable { $0.takeWork(now: time) }
            if let work { return work }
            Thread.sleep(forTimeInterval: PublisherLoop.pauseSeconds)
            now = Clocks.now()
        }
        return takeWorkAtOnce()
    }

    /// How long it is before the lock is asked for again.
    private static let pauseSeconds = 50e-6

    private mutating func receive() throws {
        try sockets?.receive(
            poller: poller,
            subscribed: { prefix in
                let now = Clocks.now()
                publisher.core.withLock { $0.origin.subscribed(to: prefix, now: now) }
            },
            requested: { peer, payload in
                let now = Clocks.now()
                let request = ReceivedRequest(payload.span, limits: publisher.configuration.limits)
                publisher.core.withLock { $0.origin.receive(request, from: peer, now: now) }
            })
        guard let refused = sockets?.takeRefusedCount(), refused > 0 else { return }
        publisher.core.withLock { $0.origin.countRefusedClients(refused) }
    }

    /// The pusher goes on with a later start of the origin, before it is given anything of that.
    private func follow(_ incarnation: UInt64) {
        guard let pushes, pushes.comparedIncarnation != incarnation else { return }
        let (former, voids) = publisher.core.withLock { ($0.origin.formerWrites, $0.origin.voidIncarnations) }
        for void in voids { pushes.machine.beginAnew(giving: void) }
        pushes.compare(former)
    }

    private mutating func push(now: Moment) throws(ZeroMQError) {
        guard let pushes else { return }
        try pushes.step(poller: &poller, now: now)
        for refusal in pushes.takeRefusals() { judge(refusal, pushes, now: now) }
        for (type, ids) in pushes.takeLacking() {
            let unsendable = publisher.core.withLock { $0.origin.sendAgain(ids, type: type, now: now) }
            for (id, reason) in unsendable { pushes.machine.cannotSendAgain(id, type: type, reason: reason) }
        }
        publisher.tell(
            PushProgress(
                unacknowledged: pushes.machine.unacknowledged, isFull: pushes.machine.isFull,
                failure: pushes.machine.failure, relays: pushes.machine.status(now: now),
                isHandedOver: outbox?.isEmpty ?? true, isDelivered: pushes.machine.isDone,
                incarnation: pushes.comparedIncarnation))
    }

    /// A relay refuses a batch for its stamp: the origin starts anew, or the batch is pushed again later.
    private func judge(_ refusal: ClockRefusal, _ pushes: PushLinks, now: Moment) {
        let hasBegun = publisher.core.withLock { $0.origin.startAnewIfRefused(taken: refusal.taken, now: now) }
        if hasBegun {
            pushes.machine.beginAnew(giving: refusal.incarnation)
        } else {
            pushes.machine.tryAgain(refusal)
        }
    }

    private func send(_ actions: [OriginAction]) throws(ZeroMQError) {
        for action in actions {
            switch action {
            case .publish(let topic, let payload):
                if let outbox { outbox.append(.stream(topic, payload)) } else { try publish(topic, payload) }
            case .reply(let peer, let payload):
                try answer(peer, payload)
            case .notice(let notice): publisher.logger.log(notice)
            }
        }
    }

    private func send(_ messages: [DurableOutbox.Message]) throws(ZeroMQError) {
        for message in messages {
            switch message {
            case .stream(let topic, let payload): try publish(topic, payload)
            case .reply(let peer, let load): try reply(to: peer, load)
            }
        }
    }

    /// Sends a reply, after the batches that were there before it.
    private func answer(_ peer: [UInt8], _ payload: [UInt8]) throws(ZeroMQError) {
        guard let load = sockets?.freight.load(payload, for: peer) else { return }
        if let outbox, !outbox.isOpenForReplies {
            outbox.append(.reply(peer: peer, load))
        } else {
            try reply(to: peer, load)
        }
    }

    /// Makes and sends some messages of answers: what takes long is done without the lock, which is the writers'.
    /// - Returns: whether there may be more at once.
    private func makeAnswers(isAsked: Bool) throws(ZeroMQError) -> Bool {
        guard let sockets, isAsked || sockets.freight.isToBeLookedAt else { return false }
        var made: AnswerTurn?
        for _ in 0..<PublisherLoop.answerBurst {
            let (finished, departures, now) = (made, sockets.freight.takeDepartures(), Clocks.now())
            let (next, hasActions) = publisher.core.withLock { core in
                if let finished { core.origin.finish(finished, now: now) }
                return (core.origin.nextAnswer(after: departures, now: now), core.origin.hasActions)
            }
            made = nil
            switch next {
            case .turn(var turn):
                if let payload = turn.make() { try answer(turn.peer, payload) }
                made = turn
            case .cut(let peers): sockets.cut(peers)
            case .nothing: return hasActions
            }
        }
        if let made { publisher.core.withLock { $0.origin.finish(made, now: Clocks.now()) } }
        return true
    }

    private func reply(to peer: [UInt8], _ load: HeldMessage) throws(ZeroMQError) {
        if try sockets?.reply(to: peer, load) ?? true { return }
        // Gone, or not reading: what it has asked for is forgotten, and it will ask again.
        publisher.core.withLock { $0.origin.disconnected(peer) }
    }

    private func publish(_ topic: Topic, _ payload: [UInt8]) throws(ZeroMQError) {
        try sockets?.publish(topic: topic.bytes, payload)
        pushes?.push(topic, payload)
    }
}

/// The store.
extension PublisherLoop {
    /// Hands batches to the store and sends what is on disk, and tells writers how things stand.
    private mutating func keep(now: Moment) throws {
        guard let store = publisher.store else { return }
        let letters = store.mail.take()
        for event in letters.events { handle(event, now: now) }
        for (token, error) in letters.completions { outbox?.settle(token, error, now: now) }
        // Batches are noted only now, when all their records are with the store.
        pruner.step(store.behind) { _ in .max }
        if let outbox {
            outbox.commit(now: now) { pruner.note($0) }
            try send(outbox.takeReady())
        }
        let failure = publisher.configuration.durability == .none ? nil : outbox?.failure ?? storeFailure
        let held = outbox?.byteCount ?? 0
        // Mostly there is nothing to tell, and the lock is the writers'.
        guard failure != nil || toldFailure || held != toldByteCount else { return }
        (toldFailure, toldByteCount) = (failure != nil, held)
        publisher.core.withLock { core in
            core.storeFailure = failure
            core.heldByteCount = held
        }
    }

    /// What the store was told of a later start goes to the disk before the batches of that, or as they are sent.
    private mutating func keep(_ incarnation: UInt64) {
        guard incarnation != keptIncarnation, let store = publisher.store else { return }
        keptIncarnation = incarnation
        if let outbox { outbox.flushFirst() } else { store.behind.flush { _ in } }
    }

    private mutating func handle(_ event: StoreEvent, now: Moment) {
        publisher.logger.log(event)
        switch event {
        case .degraded(let error): storeFailure = error
        case .recovered:
            storeFailure = nil
            outbox?.retry()
        case .replaced: publisher.core.withLock { $0.keeper?.noteEverything($0.origin, now: now) }
        }
    }

    /// At the end: what still waits for the disk gets some seconds.
    private func drain(now: Moment) throws {
        guard let outbox, !outbox.isEmpty else { return }
        let messages: [DurableOutbox.Message]
        do {
            messages = try outbox.drain(now: now)
        } catch {
            return publisher.logger.error("the last batches were neither stored nor sent: \(error)")
        }
        try send(messages)
    }
}

extension PublisherConfiguration {
    fileprivate func sockets(_ logger: Logger) -> ServingSockets.Configuration? {
        endpoints.map { endpoints in
            ServingSockets.Configuration(
                control: endpoints.control, stream: endpoints.stream, frameByteCount: limits.frameByteCount,
                batchByteCount: batchByteCount, subscriberQueueByteCount: subscriberQueueByteCount,
                answersByteCount: answersByteCount, security: security, logger: logger)
        }
    }
}
