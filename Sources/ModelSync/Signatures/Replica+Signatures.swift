import ModelRecord
import ModelSigning
import ModelWire

/// Signatures, where the grants require them. A batch of such a type counts only with the seal of its origin, whoever
/// brings it; and a start of an origin that signs is followed in place of one that was proven only where it is proven,
/// too: by a sealed batch of it, or by the proof in heads.
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
            noteSignedStart(of: key.origin, decoder.incarnation, now: now)
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

    /// Takes note of the proof that a sender tells of a start, and keeps it, to hand it on.
    func noteProof(_ heads: Heads, of sender: SenderID, now: Moment) {
        guard let encoded = heads.startProof else { return }
        noteProof(encoded, of: heads.origin, heads.incarnation, now: now) {
            sessions[sender.index].budget.takeProof(at: now.uptimeMicroseconds)
        }
    }

    /// Takes note of the proof of a start.
    /// - Parameter mayVerify: takes what one verification costs from the budget of whoever brings the proof.
    func noteProof(
        _ encoded: [UInt8], of origin: String, _ incarnation: UInt64, now: Moment, mayVerify: () -> Bool = { true }
    ) {
        let known = origins[origin].startProof
        guard known.map({ $0.incarnation < incarnation || $0.encoded != encoded }) ?? true,
            let proof = StartProof(encoded: encoded)
        else { return }
        guard let keys = signatures?.keys(ofStartsOf: origin), !keys.isEmpty else {
            // Nobody here can tell whether it is right. The first that is told of a start is handed on.
            if known?.incarnation ?? 0 < incarnation { origins[origin].startProof = (incarnation, encoded) }
            return
        }
        guard incarnation >= origins[origin].signedStart, mayVerify(), proof.proves(incarnation, of: origin, keys: keys)
        else { return }
        origins[origin].startProof = (incarnation, encoded)
        noteSignedStart(of: origin, incarnation, now: now)
    }

    /// The proof of a start that was told; nil where none was.
    func startProof(of origin: String, _ incarnation: UInt64) -> [UInt8]? {
        origins[origin].startProof.flatMap { $0.incarnation == incarnation ? $0.encoded : nil }
    }

    /// The heads tell a start that nobody has proven, later than one that was.
    func isUnproven(_ heads: Heads) -> Bool {
        guard signatures != nil else { return false }
        let signed = origins[heads.origin].signedStart
        return signed > 0 && heads.incarnation > signed
    }

    /// Counts and tells heads on the stream whose start is not proven. Those of replies have no room for proofs.
    func reviewProof(of heads: Heads, toldBy sender: SenderID, now: Moment) {
        guard isUnproven(heads) else { return }
        _ = refuse(
            heads.origin, .unprovenStarts, "a later start of \(heads.origin.shown()) is told without its proof",
            label(sender), now: now)
    }

    /// Takes note that a start is proven. A later one that others have told before, and nobody has proven, is taken
    /// back.
    private func noteSignedStart(of origin: String, _ incarnation: UInt64, now: Moment) {
        guard incarnation > origins[origin].signedStart else { return }
        origins[origin].signedStart = incarnation
        if origins[origin].latestStart ?? 0 > incarnation { takeBackStart(of: origin, to: incarnation, now: now) }
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
