import ModelRecord
import ModelSigning
import ModelWire

/// The key of an origin for signatures, and its batches that are closed and wait for their seals.
struct OriginSignature: Sendable {
    /// A batch that ends before its seal. Its action is empty until then.
    struct Unsealed {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        var frame: [UInt8]
        /// The number of its action.
        let action: Int
        /// When it was opened, on the clock of ``Moment/uptimeMicroseconds``.
        let openedAt: UInt64
    }

    /// The number of batches that are signed together without a wait. Fewer may wait for others under load, as one
    /// signature serves all that leave together.
    private static let fullCount = 8
    /// For how long the first of them waits at most.
    private static let waitMicroseconds: UInt64 = 2_000

    /// Nil where nothing is signed.
    let sealer: BatchSealer?
    fileprivate var unsealed: [Unsealed] = []
    /// The type and bucket with which the next signed heads begin; nil where no round is under way.
    var turn: (type: String, bucket: Int)?
    /// The stamp before which writes may be missing in the copy: these are not signed with it.
    let since: Stamp

    init(key: SigningKey?, since: Stamp) { (sealer, self.since) = (key.map(BatchSealer.init), since) }

    /// Batches are signed.
    var isUsed: Bool { sealer != nil }

    /// The actions are batches that may wait for others, to be signed together.
    func mayWait(_ actionCount: Int) -> Bool {
        unsealed.count == actionCount && unsealed.count < OriginSignature.fullCount
    }

    /// The first batch that waits has not done so for long.
    func mayWaitOn(at time: UInt64) -> Bool {
        unsealed.first.map { time < $0.openedAt + OriginSignature.waitMicroseconds } ?? false
    }
}

/// Batches get their seals when they are handed out: one signature for all that leave together. Until then they stand
/// among the actions without one, and are not kept for replay.
extension Origin {
    /// Whether ``takeActions()`` has something that should leave at once, also under load: batches that are to be
    /// signed wait for a few others then.
    public var hasUrgentActions: Bool { !outbox.actions.isEmpty && !signature.mayWait(outbox.actions.count) }

    /// Whether all actions are batches that may wait a little for others under load, to be signed with them: to verify
    /// a signature costs as much as merging hundreds of updates.
    public func mayHoldActions(at time: UInt64) -> Bool {
        signature.mayWait(outbox.actions.count) && signature.mayWaitOn(at: time)
    }

    /// Takes a batch that is to be signed, and keeps its place among the actions.
    mutating func publishSealed(_ state: TopicState, _ frame: [UInt8]) {
        outbox.byteCount += frame.count + BatchSeal.byteCountMax
        signature.unsealed.append(
            OriginSignature.Unsealed(
                stream: stream(of: state.topic), sequence: state.head, frame: frame, action: outbox.actions.endIndex,
                openedAt: state.openSince))
        outbox.actions.append(.publish(topic: state.topic, payload: []))
        if signature.unsealed.count == BatchSeal.batchCountMax { sealBatches() }
    }

    /// Seals the batches that wait for it.
    mutating func sealBatches() {
        guard let sealer = signature.sealer, !signature.unsealed.isEmpty else { return }
        var waiting: [OriginSignature.Unsealed] = []
        swap(&waiting, &signature.unsealed)
        var batches: [(topic: [UInt8], frame: [UInt8])] = []
        for index in waiting.indices {
            // Taken out, so that the seal is put behind the frame where it stands.
            var frame: [UInt8] = []
            swap(&frame, &waiting[index].frame)
            batches.append((waiting[index].stream.topic.bytes, frame))
        }
        sealer.seal(&batches)
        for (batch, sealed) in zip(waiting, batches) {
            outbox.actions[batch.action] = .publish(topic: batch.stream.topic, payload: sealed.frame)
            keepForReplay(batch.stream, batch.sequence, sealed.frame)
        }
    }
}
