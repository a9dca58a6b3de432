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
        guard let keys = sealKeys(of: key, incarnation: decoder.incarnation) else { return nil }
        let verdict =
            verdict
            ?? signatures?.verifier.verdict(topic: key.topic.bytes.span, frame: payload, keys: keys) ?? .unsealed
        guard verdict != .genuine else {
            if origins[key.origin].signedStart < decoder.incarnation {
                origins[key.origin].signedStart = decoder.incarnation
            }
            return nil
        }
        let (counter, fault): (Counters.Name, String) =
            switch verdict {
            case .genuine, .unsealed: (.unsignedBatches, "is not signed")
            case .unknownKey: (.unsignedBatches, "is signed with a key that is not granted for it (sign=)")
            case .forged: (.forgedBatches, "has a signature that is not that of its content")
            }
        let message = "a batch of \(key.topic) as \(key.origin.shown()) \(fault)"
        return refuse(key.origin, counter, message, source, now: now)
    }

    /// The keys, one of which has to have sealed a batch of this stream and start; nil where none has to.
    private func sealKeys(of key: StreamKey, incarnation: UInt64) -> [VerifyingKey]? {
        if let keys = signatures?.keys(of: key) { return keys }
        // What is not signed may not begin a start of an origin that signs: it would close the start that is signed.
        guard let keys = signatures?.keys(ofStartsOf: key.origin), !keys.isEmpty,
            incarnation > origins[key.origin].signedStart
        else { return nil }
        return keys
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
