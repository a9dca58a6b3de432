import ModelCache
import ModelWire

/// Answers that take more than a few bytes. They are made one message at a time, in turns, outside of the lock of the
/// owner.
///
/// The turns go round the peers, whatever each of them has asked for, and within a peer round its answers.
extension ControlService {
    /// An answer to a peer that waits for its next message.
    enum Order: Sendable {
        case snapshot(rid: UInt64)
        case answer(rid: UInt64, AnswerSource)
    }

    /// The event that a peer waits for before its next message.
    enum PeerWait: Sendable {
        case nothing
        /// The peer is in line for its turn.
        case turn
        /// The peer must first take something of what is under way to it.
        case ownDeparture
        /// Any peer must first take something: nothing is under way to this one, and there is no room for its next
        /// message; or its key has a bound, and its other connections have to take something.
        case anyDeparture
    }

    /// Whether the owner makes answers in turns. Without a bound on what is under way they are made at once.
    var isMadeInTurns: Bool { underWay.byteCountMax != nil }

    /// Whether a peer may get a turn.
    var hasAnswers: Bool { !line.isEmpty }

    /// How many peers that wait for room are looked at anew when something was taken.
    private static let recheckCount = 8

    /// Puts an answer in line.
    mutating func enqueue(_ source: AnswerSource, _ rid: UInt64, _ peer: [UInt8]) {
        peers.withKnownPeer(peer) { peer in
            peer.orders.append(.answer(rid: rid, source))
            peer.answerCount += 1
        }
        putInLine(peer)
    }

    /// Puts a snapshot in line that has credit.
    mutating func enqueueSnapshot(_ rid: UInt64, _ peer: [UInt8]) {
        peers.withKnownPeer(peer) { peer in
            guard let cursor = peer.cursors[rid], cursor.credit > 0, cursor.source != nil, !cursor.isOrdered else {
                return
            }
            peer.cursors[rid]?.isOrdered = true
            peer.orders.append(.snapshot(rid: rid))
        }
        putInLine(peer)
    }

    /// Puts a peer in line, if an answer to it waits and `wait` is what it waited for until now.
    /// - Returns: whether the peer was put in line.
    @discardableResult
    private mutating func putInLine(_ peer: [UInt8], from wait: PeerWait = .nothing) -> Bool {
        let isToWait = peers.withKnownPeer(peer) { peer in
            guard peer.wait == wait, !peer.orders.isEmpty else { return false }
            peer.wait = .turn
            return true
        }
        if isToWait ?? false { line.append(peer) }
        return isToWait ?? false
    }

    /// Takes note of messages that are no longer under way.
    mutating func take(_ departures: [ReleasedMessage], now: Moment) {
        guard !departures.isEmpty else { return }
        for departure in departures {
            underWay.remove(departure, now: now)
            putInLine(departure.peer, from: .ownDeparture)
        }
        // All are woken where nothing is under way: no later departure would wake them.
        var left = underWay.byteCount == 0 ? crowded.count : ControlService.recheckCount
        while left > 0, let peer = crowded.removeFirst() {
            if putInLine(peer, from: .anyDeparture) { left -= 1 }
        }
    }

    /// Puts those in line that wait for room, as what they wait for may have gone with a peer that was forgotten.
    mutating func lookAgainAtCrowded() {
        for _ in 0..<crowded.count {
            if let peer = crowded.removeFirst() { putInLine(peer, from: .anyDeparture) }
        }
    }

    /// The next step: each peer that waits gets one message, then it is the turn of the others.
    mutating func nextAnswer(now: Moment, counters: inout Counters) -> NextAnswer {
        let stuck = underWay.takeStuck(now: now)
        if !stuck.isEmpty {
            counters[.cutClients] += UInt64(stuck.count)
            noteCut(stuck.count, now: now)
            for peer in stuck { peers.forget(peer) }
            return .cut(stuck)
        }
        while let peer = line.removeFirst() {
            if let turn = begin(peer) { return .turn(turn) }
        }
        return .nothing
    }

    private mutating func begin(_ identity: [UInt8]) -> AnswerTurn? {
        let room = underWay.room(
            for: identity, of: boundKey(of: identity), chunkByteCount: configuration.chunkByteCount)
        let limits = configuration.limits
        let isEmpty = underWay.isEmpty(for: identity)
        var isCrowded = false
        let turn = peers.withKnownPeer(identity) { peer -> AnswerTurn? in
            // The peer may have been forgotten meanwhile, and be another one.
            guard peer.wait == .turn else { return nil }
            guard let room, peer.neededByteCount <= room.byteCountMax else {
                peer.wait = isEmpty ? .anyDeparture : .ownDeparture
                isCrowded = isEmpty
                return nil
            }
            peer.wait = .nothing
            return peer.nextTurn(room, limits)
        }
        if isCrowded { crowded.append(identity) }
        return turn ?? nil
    }

    /// Takes a turn back.
    mutating func finish(_ turn: AnswerTurn, now: Moment, counters: inout Counters) {
        for (type, model) in turn.unsendable { note(model, type: type, &counters) }
        switch turn.result {
        case .made(let byteCount):
            underWay.add(byteCount, for: turn.peer, of: boundKey(of: turn.peer), now: now)
        case .tooLarge(let byteCount):
            let byteCountMax = configuration.limits.frameByteCount
            let message = "the answer would take \(byteCount) bytes, and a frame has at most \(byteCountMax)"
            refuse(turn.rid, .limit, message, turn.peer, now: now, &counters)
        case .lacksRoom, .ended: break
        }
        peers.withKnownPeer(turn.peer) { $0.finish(turn, now: now.uptimeMicroseconds) }
        putInLine(turn.peer)
    }

    /// Makes all answers that wait, for owners without a thread that this could hold up.
    mutating func makeAnswers(now: Moment, counters: inout Counters) {
        while case .turn(var turn) = nextAnswer(now: now, counters: &counters) {
            if let payload = turn.make() { append(turn.peer, payload, now: now) }
            finish(turn, now: now, counters: &counters)
        }
    }

    /// Logs once in a while that peers were cut.
    private mutating func noteCut(_ count: Int, now: Moment) {
        cutCount += count
        guard now.uptimeMicroseconds >= nextCutNotice else { return }
        nextCutNotice = now.uptimeMicroseconds + ControlService.cutNoticeMicroseconds
        notices.append(
            Notice(
                kind: .cutClients,
                metadata: [
                    "connections": "\(cutCount)", "bytes": "\(underWay.byteCount)",
                    "advice": "they asked for models and did not read them; find them, or raise answersByteCount",
                ]))
        cutCount = 0
    }

    private static let cutNoticeMicroseconds: UInt64 = 10_000_000
}

extension Peer {
    /// Forgets a snapshot, and its place among the orders: a peer that cancels and asks again and again must not fill
    /// them.
    mutating func cancel(_ rid: UInt64) {
        guard let cursor = cursors.removeValue(forKey: rid), cursor.isOrdered else { return }
        orders.removeAll { if case .snapshot(rid) = $0 { true } else { false } }
    }

    /// The first order of the peer that can go on; those behind it stay.
    fileprivate mutating func nextTurn(_ room: AnswersUnderWay.Room, _ limits: WireLimits) -> AnswerTurn? {
        while let order = orders.removeFirst() {
            switch order {
            case .answer(let rid, let source): return AnswerTurn(identity, rid, source, room, limits)
            case .snapshot(let rid):
                // A snapshot that was cancelled has no cursor any more. Another one may have its number, and has an
                // order of its own.
                guard let cursor = cursors[rid], cursor.isOrdered, cursor.credit > 0, let source = cursor.source else {
                    continue
                }
                // Taken out while it changes, so that it is not copied.
                cursors[rid]?.source = nil
                cursors[rid]?.isOrdered = false
                return AnswerTurn(identity, rid, serial: cursor.serial, source, room, limits)
            }
        }
        return nil
    }

    /// Keeps the rest of an answer.
    fileprivate mutating func finish(_ turn: AnswerTurn, now: UInt64) {
        var isAgain = false
        neededByteCount = 0
        if case .lacksRoom(let byteCount) = turn.result {
            isAgain = true
            neededByteCount = byteCount
        }
        var isLeft = isAgain
        if case .made = turn.result { isLeft = !turn.source.isAtEnd }
        guard let serial = turn.serial else {
            if !isLeft { answerCount = max(answerCount - 1, 0) }
            if isLeft { put(.answer(rid: turn.rid, turn.source), isFirst: isAgain) }
            return
        }
        // The snapshot may have been cancelled meanwhile, or another has its number.
        guard var cursor = cursors[turn.rid], cursor.serial == serial else { return }
        cursors[turn.rid] = nil
        guard isLeft else { return }
        cursor.source = turn.source
        if !isAgain {
            cursor.credit -= 1
            cursor.lastUse = now
        }
        cursor.isOrdered = cursor.credit > 0
        if cursor.isOrdered { put(.snapshot(rid: turn.rid), isFirst: isAgain) }
        cursors[turn.rid] = cursor
    }

    private mutating func put(_ order: ControlService.Order, isFirst: Bool) {
        if isFirst { orders.insert(order, at: 0) } else { orders.append(order) }
    }
}
