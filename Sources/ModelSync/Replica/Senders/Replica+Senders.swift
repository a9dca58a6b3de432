import ModelWire

extension Replica {
    /// Says hello, because the control connection to `sender` has been opened.
    public func connected(_ sender: SenderID, now: Moment) {
        sessions[sender.index].handShake.connect(configuration.versions)
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        greet(sender, now: now)
    }

    /// Takes note that the connections to `sender` are gone, as the runtime has found out.
    public func disconnected(_ sender: SenderID, reason: String, now: Moment) {
        sessions[sender.index].lastError = reason
        loseContact(sender, now: now)
    }

    /// Takes note that nobody answers at the endpoint of `sender`, as the runtime has found out, with the reason. A
    /// sender that is live is left alone.
    /// - Parameter isAbsent: the host of the endpoint says that nobody serves there, so the network is there, and the
    ///   sender is not. It counts for a while: see ``Replica/absenceMicroseconds``.
    public func unreachable(_ sender: SenderID, reason: String, isAbsent: Bool = false, now: Moment) {
        guard state(of: sender) != .live else { return }
        sessions[sender.index].lastError = reason
        sessions[sender.index].absentUntil = isAbsent ? now.uptimeMicroseconds + Replica.absenceMicroseconds : 0
    }

    /// For how long a sender counts as absent after its host has said so. The runtime looks again within less.
    package static let absenceMicroseconds: UInt64 = 5_000_000

    func greet(_ sender: SenderID, now: Moment) {
        sessions[sender.index].handShake.greet(at: now.uptimeMicroseconds)
        let version = sessions[sender.index].handShake.version
        send(.hello(rid: requests.take(), version: version, name: configuration.name, prefixes: prefixes), to: sender)
    }

    func welcomed(
        _ sender: SenderID, version: UInt64, name: String, streamEndpoint: String, heartbeatMilliseconds: UInt64,
        now: Moment
    ) {
        switch sessions[sender.index].handShake.welcome(in: version, configuration.versions) {
        case .ignored: return
        case .otherVersion:
            let own = configuration.versions.text
            return tellVersion(
                sender, "it speaks protocol version \(version), this side speaks \(own); update the older side",
                name: name)
        case .goOn: break
        }
        sessions[sender.index].name = name
        sessions[sender.index].absentUntil = 0
        sessions[sender.index].welcomedAt = now.uptimeMicroseconds
        sessions[sender.index].heartbeatMicroseconds = min(max(heartbeatMilliseconds, 10), 60_000) * 1000
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        // From here on the cache may hold something of the sender.
        if sessions[sender.index].lastContact == nil {
            sessions[sender.index].lastContact =
                clockGuard.lastAlive ?? clockGuard.contact(by: &upkeep.contacts, now: now)
        }
        actions.append(.connectStream(sender, endpoint: streamEndpoint))
        for prefix in configuration.prefixes { actions.append(.subscribe(sender, prefix: prefix)) }
        actions.append(.subscribe(sender, prefix: Array("h/".utf8)))
        raiseBarrier(sender, now: now)
    }

    /// Notes and logs once that a sender speaks another protocol version. It is asked again and again, since it may be
    /// updated.
    func tellVersion(_ sender: SenderID, _ message: String, name: String) {
        let fault = "another protocol version: \(message)"
        guard sessions[sender.index].lastError != fault else { return }
        sessions[sender.index].lastError = fault
        notice(.versionMismatch, ["sender": name, "message": message])
    }

    private func raiseBarrier(_ sender: SenderID, now: Moment) {
        if !sessions[sender.index].barrier.isEmpty {
            actions.append(.unsubscribe(sender, prefix: sessions[sender.index].barrier))
        }
        let barrier = Topic.barrier(using: &requests.generator).bytes
        sessions[sender.index].barrier = barrier
        sessions[sender.index].handShake.raiseBarrier(at: now.uptimeMicroseconds)
        actions.append(.subscribe(sender, prefix: barrier))
    }

    /// Takes note that every filter is active. From here on no new message can be lost unnoticed, so what came before
    /// is asked for.
    func barrierPassed(_ sender: SenderID, now: Moment) {
        // The barrier is raised again when its time is over.
        if let last = sessions[sender.index].lastContact,
            clockGuard.isUndecided(last, by: &upkeep.absences, now: now)
        {
            return
        }
        guard sessions[sender.index].handShake.passBarrier() else { return }
        actions.append(.unsubscribe(sender, prefix: sessions[sender.index].barrier))
        sessions[sender.index].barrier = []
        startAnewAfterAbsence(sender, now: now)
        guard !isWarm(sender) else { return becomeWarm(sender, now: now) }
        requestSnapshot(sender, now: now)
    }

    private func requestSnapshot(_ sender: SenderID, now: Moment) {
        let rid = requests.take()
        // While another sender is live, readers must see no half of a transaction that this sender has committed and
        // the other has not told. A process that serves others may be read at any time, so it must not hold a part of a
        // snapshot that never ends.
        let isSteppedIn =
            configuration.forwardsBatches || (origins.hasTransactions && sessions.contains { $0.handShake.wasLive })
        sessions[sender.index].staging = isSteppedIn ? Staging() : nil
        sessions[sender.index].copyAskedAt = now.uptimeMicroseconds
        sessions[sender.index].hasRejectedRecords = false
        sessions[sender.index].handShake.askForCopy(rid, at: now.uptimeMicroseconds)
        askForCopy(prefixes, rid, of: sender)
    }

    /// Ends the contact with a sender: reads go on, the state is stale, and the hand-shake begins again with a new
    /// connection.
    func loseContact(_ sender: SenderID, now: Moment) {
        sessions[sender.index].handShake.lose(at: now.uptimeMicroseconds)
        sessions[sender.index].barrier = []
        sessions[sender.index].staging = nil
        sessions[sender.index].parted = PartedRecords()
        for stream in streams.unsettled.all {
            // The repair goes on with another sender, or when this one is back.
            if stream.repair?.request?.sender == sender { fail(stream, .lost, now: now) }
            if !hasSyncedTeller(stream) { stream.holeSince = nil }
        }
        // A sender may come back with less, such as a relay without a store.
        for stream in streams.values { stream.noteEqual(false, to: sender) }
        loseAudits(of: sender, now: now)
        renewal?.lose(sender, retryAt: nil)
        reviewStaleness(now: now)
        actions.append(.reconnect(sender))
    }

    /// Repeats or gives up the requests that a sender has not answered in time.
    func checkDeadlines(_ sender: SenderID, now: Moment) {
        let session = sessions[sender.index]
        let time = now.uptimeMicroseconds
        let silence = session.heartbeatMicroseconds * UInt64(configuration.silentIntervals)
        if session.isSynced, time > session.lastHeard + silence {
            counters[.senderTimeouts] += 1
            sessions[sender.index].lastError = "no heads for \((time - session.lastHeard) / 1000) ms"
            notice(.senderSilent, ["sender": label(sender), "silent_ms": "\((time - session.lastHeard) / 1000)"])
            return loseContact(sender, now: now)
        }
        switch sessions[sender.index].handShake.review(at: time) {
        case .nothing: break
        case .giveUp:
            if sessions[sender.index].lastError == nil { sessions[sender.index].lastError = "no answer" }
            loseContact(sender, now: now)
        case .greet: greet(sender, now: now)
        case .raiseBarrier: raiseBarrier(sender, now: now)
        case .askAgain(let rid):
            send(.cancel(rid: rid), to: sender)
            requestSnapshot(sender, now: now)
        }
    }
}
