import ModelSigning
import ModelWire

/// What an origin signs with, and the batches that are closed and wait for their seals.
struct OriginSignature: Sendable {
    /// A batch among the actions that ends before its seal.
    struct Unsealed {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        /// The number of its action.
        let action: Int
    }

    /// Nil where nothing is signed.
    let sealer: BatchSealer?
    fileprivate var unsealed: [Unsealed] = []
    /// The proof of the last start, which is signed once.
    private var startProof: (incarnation: UInt64, encoded: [UInt8])?

    init(key: SigningKey?) { sealer = key.map(BatchSealer.init) }

    /// Batches are signed.
    var isUsed: Bool { sealer != nil }

    /// The proof of a start; nil where nothing is signed.
    mutating func startProof(of incarnation: UInt64, _ origin: String) -> [UInt8]? {
        guard let sealer else { return nil }
        if let startProof, startProof.incarnation == incarnation { return startProof.encoded }
        let encoded = sealer.proof(ofStart: incarnation, of: origin).encoded
        startProof = (incarnation, encoded)
        return encoded
    }
}

/// Batches get their seals when they are handed out: one signature for all that leave together. Until then they stand
/// among the actions without one, and are not kept for replay.
extension Origin {
    /// Takes note that the last action is a batch without its seal.
    mutating func awaitSeal(of state: TopicState) {
        signature.unsealed.append(
            OriginSignature.Unsealed(
                stream: stream(of: state.topic), sequence: state.head, action: actions.endIndex - 1))
        if signature.unsealed.count == BatchSeal.batchCountMax { sealBatches() }
    }

    /// Seals the batches that wait for it.
    mutating func sealBatches() {
        guard let sealer = signature.sealer, !signature.unsealed.isEmpty else { return }
        let waiting = signature.unsealed
        signature.unsealed = []
        var batches: [(topic: [UInt8], frame: [UInt8])] = []
        for batch in waiting {
            guard case .publish(let topic, let frame) = actions[batch.action] else {
                preconditionFailure("the action of an unsealed batch has moved")
            }
            batches.append((topic.bytes, frame))
        }
        sealer.seal(&batches)
        for (batch, sealed) in zip(waiting, batches) {
            actions[batch.action] = .publish(topic: batch.stream.topic, payload: sealed.frame)
            outboxByteCount += BatchSeal.byteCountMax
            keepForReplay(batch.stream, batch.sequence, sealed.frame)
        }
    }
}
