import ModelSync
import ZeroMQ

/// Answers of the control socket.
extension PublisherLoop {
    /// How many messages of answers are made before the stream has its turn.
    private static let answerBurst = 8
    /// The same limit in time, as one message may be long.
    private static let answerMicroseconds: UInt64 = 2_000

    /// Sends a reply, after the batches that wait for the disk before it.
    func answer(_ peer: [UInt8], _ payload: [UInt8]) throws(ModelcastError) {
        guard let load = sockets?.freight.load(payload, for: peer) else { return }
        if let outbox, !outbox.isOpenForReplies {
            outbox.append(.reply(peer: peer, load))
        } else {
            try reply(to: peer, load)
        }
    }

    /// Makes and sends some messages of answers. The slow part is done without the lock, which the writers need.
    /// - Returns: whether there may be more to do at once.
    func makeAnswers(isAsked: Bool) throws(ModelcastError) -> Bool {
        guard let sockets, isAsked || sockets.freight.isToBeLookedAt else { return false }
        var made: AnswerTurn?
        let end = clock.now().uptimeMicroseconds + PublisherLoop.answerMicroseconds
        for _ in 0..<PublisherLoop.answerBurst {
            let now = clock.now()
            if made != nil, now.uptimeMicroseconds >= end { break }
            let (finished, departures) = (made, sockets.freight.takeReleased())
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
        if let made { publisher.core.withLock { $0.origin.finish(made, now: clock.now()) } }
        return true
    }

    func reply(to peer: [UInt8], _ load: HeldMessage) throws(ModelcastError) {
        if try sockets?.reply(to: peer, load) ?? true { return }
        // The peer is gone or does not read. Its requests are forgotten, and it will ask again.
        publisher.core.withLock { $0.origin.disconnected(peer) }
    }
}
