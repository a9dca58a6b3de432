import ModelGrants
import ModelSigning
import ModelSync

/// The state machine that takes the messages of senders: a replica, or a relay around one. Belongs to one thread.
protocol ListeningMachine: AnyObject {
    func grant(_ grantee: Grantee, to sender: SenderID)
    func require(_ rules: SignatureRules?)
    func connected(_ sender: SenderID, now: Moment)
    func disconnected(_ sender: SenderID, reason: String, now: Moment)
    func receiveControl(_ sender: SenderID, _ payload: Span<UInt8>, now: Moment)
    func receiveStream(
        _ sender: SenderID, topic: Span<UInt8>, payload: Span<UInt8>, verdict: SealVerdict?, now: Moment)
    func countMalformed(_ sender: SenderID, _ reason: String)
    func unreachable(_ sender: SenderID, reason: String, isAbsent: Bool, now: Moment)
    func tick(now: Moment)
    func nextDeadline(now: Moment) -> UInt64
}

extension Replica: ListeningMachine {}
extension RelayMachine: ListeningMachine {}
