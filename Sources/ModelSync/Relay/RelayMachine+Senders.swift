public import ModelGrants
public import ModelSigning
import ModelWire

/// The side that listens: every event of a sender goes to the replica, and its actions are passed on.
extension RelayMachine {
    /// Adds a sender: an origin or another relay. Call ``connected(_:now:)`` when its control connection is open.
    public func addSender() -> SenderID { replica.addSender() }

    /// As ``Replica/grant(_:to:)``.
    public func grant(_ grantee: Grantee, to sender: SenderID) { replica.grant(grantee, to: sender) }

    /// As ``Replica/require(_:)``.
    public func require(_ rules: SignatureRules?) { replica.require(rules) }

    /// Takes note that the control connection to `sender` has been opened.
    public func connected(_ sender: SenderID, now: Moment) {
        guard !senderRoles.refused.contains(sender) else { return }
        replica.connected(sender, now: now)
        collect(now: now)
    }

    /// Takes note that the connections to `sender` are gone, as the runtime has found out.
    public func disconnected(_ sender: SenderID, reason: String, now: Moment) {
        guard !senderRoles.refused.contains(sender) else { return }
        replica.disconnected(sender, reason: reason, now: now)
        collect(now: now)
    }

    /// Takes note that nobody answers at the endpoint of `sender`, as the runtime has found out, with the reason.
    public func unreachable(_ sender: SenderID, reason: String, isAbsent: Bool = false, now: Moment) {
        replica.unreachable(sender, reason: reason, isAbsent: isAbsent, now: now)
    }

    /// As ``Replica/receiveStream(_:topic:payload:verdict:now:)``.
    public func receiveStream(
        _ sender: SenderID, topic: Span<UInt8>, payload: Span<UInt8>, verdict: SealVerdict? = nil, now: Moment
    ) {
        guard !senderRoles.refused.contains(sender) else { return }
        guard topic.count == 0 || topic[0] != 0x6D else {
            replica.receiveStream(sender, topic: topic, payload: payload, verdict: verdict, now: now)
            return collect(now: now)
        }
        let frame = replica.receiveFrame(sender, topic: topic, payload: payload, now: now)
        collect(now: now)
        switch frame {
        case .heads(let heads):
            if heads.isRelayed, replica.mayRelay(sender) { senderRoles.relayNames[sender] = replica.name(of: sender) }
            // Nothing is remembered of an origin that is not followed.
            guard heads.origin != configuration.name, replica.speaks(sender, for: heads.origin) else { return }
            if replica.admits(heads.origin, now: now) {
                // A stamp too far ahead would hide all that comes after it.
                guard !replica.isTooFarAhead(heads, now: now) else { return }
                switch replica.word(sender, on: heads, now: now) {
                case .own: sources.decide(heads, at: now.uptimeMicroseconds)
                case .heard where !replica.isImplausible(heads.stamp, of: heads.origin, sender, now: now):
                    sources.note(heads, from: sender, at: now.uptimeMicroseconds)
                case .heard, .ignored: break
                }
            } else {
                replica.noteRefused(heads.origin)
                collect(now: now)
            }
        case .bye(let bye) where replica.mayEnd(bye.origin, sender): forward(bye, payload)
        case .signedHeads(let told) where speaksFor(told.origin):
            actions.append(.publish(topic: .heads(origin: told.origin), payload: payload.copied))
        case .signedHeads, .bye, .batch, .unknown, nil: break
        }
    }

    /// Counts a message that the runtime has dropped, because its frames are not of this protocol.
    public func countMalformed(_ sender: SenderID, _ reason: String) { replica.countMalformed(sender, reason) }

    /// Takes one reply from a sender's control connection. Any bytes are acceptable.
    public func receiveControl(_ sender: SenderID, _ payload: Span<UInt8>, now: Moment) {
        guard !senderRoles.refused.contains(sender) else { return }
        replica.receiveControl(sender, payload, now: now)
        if replica.name(of: sender) == configuration.name {
            senderRoles.refused.insert(sender)
            replica.notice(
                .ownReflection,
                [
                    "relay": configuration.name,
                    "advice": "leave this relay's own endpoint out of its senders, or give each relay its own name",
                ])
        }
        collect(now: now)
    }

    /// Whether the sender is this relay itself, or has its name: then it is not listened to.
    public func isRefused(_ sender: SenderID) -> Bool { senderRoles.refused.contains(sender) }

    /// Sends the bye of an origin on, once.
    private func forward(_ bye: Bye, _ payload: Span<UInt8>) {
        guard bye.origin != configuration.name, sources.note(bye), speaksFor(bye.origin) else { return }
        actions.append(.publish(topic: .heads(origin: bye.origin), payload: payload.copied))
    }

    func speaksFor(_ origin: String) -> Bool {
        replica.follows(origin)
            || sources[origin]?.incarnation ?? 0 > 0 && !senderRoles.relayNames.values.contains(origin)
    }
}
