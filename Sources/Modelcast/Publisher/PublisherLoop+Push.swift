import ModelSync

/// Batches that are pushed to relays.
extension PublisherLoop {
    /// Lets the pusher go on with a later start of the origin, before it gets batches of that start.
    func follow(_ incarnation: UInt64) {
        guard let pushes, pushes.comparedIncarnation != incarnation else { return }
        let (former, voids) = publisher.core.withLock { ($0.origin.formerWrites, $0.origin.voidIncarnations) }
        for void in voids { pushes.machine.beginAnew(giving: void) }
        pushes.compare(former)
    }

    mutating func push(now: Moment) throws(ModelcastError) {
        guard let pushes else { return }
        try pushes.step(now: now)
        if publisher.configuration.keepsPushing { pushAnew(pushes, now: now) }
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

    /// Begins a later start where a relay was given up. What the former has written is compared with each relay then,
    /// as after a restart with a store, and what one lacks is pushed again.
    private mutating func pushAnew(_ pushes: PushLinks, now: Moment) {
        guard pushes.machine.hasGivenUp, pushStart.isDue(now: now) else { return }
        let former = publisher.core.withLock { core in
            let former = core.origin.incarnation
            core.origin.resume(core.origin.cache.types, now: now)
            return former
        }
        pushes.machine.beginAnew(giving: former)
        pushes.machine.tryAllAgain()
    }

    /// Judges a refusal for a batch's stamp: the origin starts anew, or the batch is pushed again later.
    private func judge(_ refusal: ClockRefusal, _ pushes: PushLinks, now: Moment) {
        let hasBegun = publisher.core.withLock { $0.origin.startAnewIfRefused(taken: refusal.taken, now: now) }
        if hasBegun {
            pushes.machine.beginAnew(giving: refusal.incarnation)
        } else {
            pushes.machine.tryAgain(refusal)
        }
    }
}
