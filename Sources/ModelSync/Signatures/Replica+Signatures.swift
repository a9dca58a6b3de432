import ModelRecord
import ModelSigning
import ModelWire

/// Signatures, where the grants require them. A batch of such a type counts only with the seal of its origin, whoever
/// brings it; and of an origin that signs, no batch without a seal begins a start.
extension Replica {
    /// Drops what is not signed though it has to be, from now on; nil for nothing. What came before stays.
    public func require(_ rules: SignatureRules?) {
        guard signatures?.rules != rules else { return }
        signatures = rules.map(SignatureCheck.init)
        for session in sessions { session.isJudged = signatures != nil || session.rights != nil }
    }

    /// The batch of this stream that the decoder holds has the seal that it has to have, or need not have one.
    func isGenuine(
        _ key: StreamKey, _ payload: Span<UInt8>, _ verdict: SealVerdict? = nil, of sender: SenderID, now: Moment
    ) -> Bool {
        guard signatures != nil else { return true }
        return refusalOfSeal(key, payload, verdict, from: label(sender), now: now) == nil
    }

    /// Why the batch may not count; nil where it may.
    func refusalOfSeal(
        _ key: StreamKey, _ payload: Span<UInt8>, _ verdict: SealVerdict? = nil, from source: String, now: Moment
    ) -> String? {
        signatures?.hasSeenSeal = false
        guard let keys = sealKeys(of: key, incarnation: decoder.incarnation, now: now) else { return nil }
        let verdict =
            verdict
            ?? signatures?.verifier.verdict(topic: key.topic.bytes.span, frame: payload, keys: keys) ?? .unsealed
        guard verdict != .genuine else {
            signatures?.hasSeenSeal = true
            return nil
        }
        return refuse(verdict, "a batch of \(key.topic)", key.origin, source, now: now)
    }

    /// Takes note of the start of the batch that was looked at last, if it was sealed. Called where the batch is
    /// followed, so that nothing is kept of names that are not, nor of a start too far ahead.
    func noteSealedStart(of origin: String) {
        guard signatures?.hasSeenSeal ?? false, origins[origin].signedStart < decoder.incarnation else { return }
        origins[origin].signedStart = decoder.incarnation
    }

    /// Drops a batch that the owner has found not to be genuine. It is not even decoded.
    func refuse(
        _ sender: SenderID, topic: Topic, _ payload: Span<UInt8>, _ verdict: SealVerdict, now: Moment
    ) {
        let origin = BatchIdentity(of: payload)?.origin ?? "somebody"
        refuse(verdict, "a batch of \(topic)", origin, label(sender), now: now)
    }

    /// Counts something that is dropped because of its seal.
    /// - Parameter subject: what it is.
    /// - Returns: the message.
    @discardableResult
    func refuse(
        _ verdict: SealVerdict, _ subject: String, _ origin: String, _ source: String, now: Moment
    ) -> String {
        let (counter, fault): (Counters.Name, String) =
            switch verdict {
            case .genuine, .unsealed: (.unsignedBatches, "is not signed")
            case .unknownKey: (.unsignedBatches, "is signed with a key that is not granted for it (sign=)")
            case .forged: (.forgedBatches, "has a signature that is not that of its content")
            }
        return refuse(origin, counter, "\(subject) as \(origin.shown()) \(fault)", source, now: now)
    }

    /// The keys, one of which has to have sealed a batch of this stream and start; nil where none has to.
    private func sealKeys(of key: StreamKey, incarnation: UInt64, now: Moment) -> [VerifyingKey]? {
        if let keys = signatures?.keys(of: key) { return keys }
        // A batch that is not signed may not begin a start of an origin that signs: it would close the signed one.
        guard let keys = signatures?.keys(ofStartsOf: key.origin), !keys.isEmpty,
            incarnation > origins[key.origin].signedStart
        else { return nil }
        // Such a seal was looked at on no other thread, so it costs this one.
        return signatures?.mayVerify(at: now.uptimeMicroseconds) ?? false ? keys : []
    }

    /// Counts something that is dropped for lack of a signature.
    /// - Returns: the message.
    private func refuse(
        _ origin: String, _ counter: Counters.Name, _ message: String, _ source: String, now: Moment
    ) -> String {
        counters[counter] += 1
        errors.note("unsigned message", of: source, message)
        if signatures?.isNews(counter, of: origin, at: now.uptimeMicroseconds) ?? false {
            notice(
                .unsigned,
                [
                    "sender": source, "origin": origin, "reason": message,
                    "advice": "give the process that is \(origin.shown()) its signing key, and sign= in the grants; if "
                        + "it has it, what came is not its own",
                ])
        }
        return message
    }
}
