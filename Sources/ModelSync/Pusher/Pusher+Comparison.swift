import ModelCache
import ModelRecord
import ModelWire

/// Finds out what earlier starts have written and a relay may not hold, and has it sent again.
extension Pusher {
    /// Compares what earlier starts of the publisher have written with each relay. What one lacks is asked for with
    /// ``PusherAction/sendAgain(type:ids:)``, and nothing counts as delivered to a relay before it has been compared.
    ///
    /// A relay is compared again after each new connection: without a store it may have been started anew.
    public func compare(_ former: FormerWrites) {
        unsendable = [:]
        self.former = former.types.isEmpty ? nil : former
        for relay in relays.indices { compareAnew(relay) }
    }

    /// Whether everything that earlier starts have written is known to be at the relays that have to acknowledge, or is
    /// on its way there in batches.
    public var isCompared: Bool {
        guard !relays.isEmpty else { return true }
        return configuration.acknowledgement == .any
            ? relays.contains(where: \.isCompared) : relays.allSatisfy(\.isCompared)
    }

    func compareAnew(_ relay: Int) { relays[relay].comparison = former.map(Comparison.init) }

    /// Asks the next question of the comparison, where there is room for what the relay may lack.
    func askNext(_ relay: Int, now: Moment) {
        guard let former, relays[relay].mayPush(at: now.uptimeMicroseconds), hasRoom(relay),
            relays[relay].comparison?.mayAsk(at: now.uptimeMicroseconds) == true,
            case .ask(let question)? = relays[relay].comparison?.next(
                former, byteCountMax: configuration.limits.frameByteCount / 2)
        else { return }
        let rid = makeRID()
        let request: ControlRequest =
            switch question {
            case .digest(let type): .digest(rid: rid, type: type, bits: 8)
            case .fetch(let type, let ids): .fetch(rid: rid, type: type, ids: ids)
            }
        relays[relay].comparison?.asked(question, rid: rid, at: now.uptimeMicroseconds)
        actions.append(.request(relay: relay, payload: request.encode()))
    }

    /// There is room for what a relay may lack. Where one relay is enough, only the batches of this relay count:
    /// batches that are kept for another relay hold up no comparison, and that relay is given up when no more can be
    /// kept.
    private func hasRoom(_ relay: Int) -> Bool {
        let held = configuration.acknowledgement == .any ? relays[relay].unacknowledgedByteCount : byteCount
        return held * 2 < configuration.byteCountMax
    }

    /// Takes an answer to a question of the comparison.
    /// - Returns: false for other replies.
    func compare(_ relay: Int, _ reply: ControlReply, now: Moment) -> Bool {
        guard let former, relays[relay].comparison?.request?.rid == reply.rid else { return false }
        switch reply {
        case .digests(_, _, let digests): relays[relay].comparison?.take(digests, former)
        case .records(_, _, let records): relays[relay].comparison?.take(records)
        case .part(_, _, let record): relays[relay].comparison?.take([record])
        case .complete: lack(relays[relay].comparison?.complete(former), relay)
        case .error(_, let code, let message):
            relays[relay].lastError = "\(code.rawValue): \(message)"
            switch code {
            case .busy, .internalError:
                relays[relay].comparison?.pause(now: now.uptimeMicroseconds, configuration)
            case .limit:
                if case .fetch(let type, let ids) = relays[relay].comparison?.request?.question {
                    lack(relays[relay].comparison?.shrink(type, ids), relay)
                } else {
                    // Digests cannot be asked for in smaller parts.
                    fail(relay, "\(code.rawValue): \(message)")
                }
            default: fail(relay, "\(code.rawValue): \(message)")
            }
        case .welcome, .frame, .gone, .accepted, .evicted, .unknown: break
        }
        return true
    }

    /// Asks for those models that the relay lacks and that are not on their way to it.
    private func lack(_ models: (type: String, ids: [String])?, _ relay: Int) {
        guard let (type, ids) = models else { return }
        var missing: [String] = []
        for id in ids {
            let model = ModelKey(type: type, id: id)
            if let reason = unsendable[model] {
                failComparison(relay, reason)
                continue
            }
            if let sent = sentAgain[model] {
                // Another relay lacks the model as well, so it is asked for or in a batch already. A relay that has
                // acknowledged that batch and does not hold the model has lost it.
                guard let position = sent.position else {
                    sentAgain[model]?.lackers.append(relay)
                    continue
                }
                guard position < firstPosition || relays[relay].isAcknowledged(position) else { continue }
            }
            sentAgain[model] = SentAgain(position: nil, lackers: [relay])
            missing.append(id)
        }
        guard !missing.isEmpty else { return }
        actions.append(.sendAgain(type: type, ids: missing))
    }

    /// Takes note that the origin cannot send again what a relay lacks of a model. The comparison with that relay fails
    /// when all else has reached it.
    public func cannotSendAgain(_ id: String, type: String, reason: String) {
        let model = ModelKey(type: type, id: id)
        let message =
            "\(type) \(id) cannot be sent again: \(reason); set the limits to what they were when it was written, or "
            + "write it anew"
        unsendable[model] = message
        for relay in sentAgain.removeValue(forKey: model)?.lackers ?? [] { failComparison(relay, message) }
    }

    private func failComparison(_ relay: Int, _ reason: String) {
        relays[relay].lastError = reason
        guard relays[relay].comparison?.failure == nil else { return }
        relays[relay].comparison?.failure = reason
        tellFailure(of: relay, reason)
    }

    /// Remembers the position of a batch of former writes, which is one whose stamps lie below its incarnation.
    func noteSentAgain(_ payload: Span<UInt8>, type: String, position: Int) {
        guard !sentAgain.isEmpty, decoder.lastStamp < decoder.incarnation else { return }
        for id in decoder.ids(in: payload) where sentAgain[ModelKey(type: type, id: id)] != nil {
            let model = ModelKey(type: type, id: id)
            sentAgain[model] = SentAgain(position: position, lackers: [])
            sentAgainOrder.append((position, model))
        }
    }

    /// Forgets which models were sent again in batches that are not kept any more.
    /// - Parameter isEmpty: no batch is kept.
    func forgetSentAgain(isEmpty: Bool) {
        while let first = sentAgainOrder.first, first.position < firstPosition {
            _ = sentAgainOrder.removeFirst()
            if sentAgain[first.model]?.position == first.position { sentAgain[first.model] = nil }
        }
        // The models that are left were written over before they could be sent again.
        guard isEmpty, !sentAgain.isEmpty, !isAsking,
            relays.allSatisfy({ $0.failure != nil || $0.isCompared })
        else { return }
        sentAgain = [:]
    }

    struct SentAgain {
        /// The position of the batch that carries the model; nil while there is none yet.
        let position: Int?
        /// The relays that wait for such a batch.
        var lackers: [Int]
    }
}
