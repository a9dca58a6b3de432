import ModelCache
import ModelWire

/// A copy that is built beside the live one from the snapshots of all senders, and then takes its place.
final class Renewal {
    /// The state of the part of one sender.
    enum Part {
        case waiting
        case asked(rid: UInt64, dueAt: UInt64)
        /// The sender has refused, and is asked again at this time.
        case resting(until: UInt64)
        case complete([Heads])
    }

    let cache = ModelCache()
    /// The prefixes of what is built anew.
    let prefixes: [Topic]
    let startedAt: UInt64
    /// The streams whose differences are the reason, and when each was found.
    var witnesses: [(stream: StreamState, foundAt: UInt64)] = []
    /// The senders of whose snapshots under way records were rejected for their clocks.
    var rejecting: Set<SenderID> = []
    /// The part of each sender, by its index.
    var parts: [Part]
    /// Batches that came meanwhile and are older than deletes are remembered.
    private(set) var oldBatches: [OldBatch] = []
    private var oldByteCount = 0

    /// A batch that is merged when the heads of all snapshots are here, unless a snapshot had it: what it wrote may be
    /// deleted there, and the delete forgotten.
    struct OldBatch {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        let payload: [UInt8]
    }

    /// How long a renewal waits for a head or a start that only others than the origin tell.
    static let claimPatienceMicroseconds: UInt64 = 2 * Claim.patienceMicroseconds
    /// How many bytes of old batches are put aside.
    private static let oldByteCountMax = 64 << 20

    init(prefixes: [Topic], senderCount: Int, now: UInt64) {
        self.prefixes = prefixes
        startedAt = now
        parts = [Part](repeating: .waiting, count: senderCount)
    }

    /// The heads that came with the snapshots; nil until those of all senders are complete.
    var completeHeads: [Heads]? {
        var heads: [Heads] = []
        for part in parts {
            guard case .complete(let told) = part else { return nil }
            heads += told
        }
        return heads
    }

    /// Puts a batch aside.
    /// - Returns: false where there is no room.
    func putAside(_ batch: OldBatch) -> Bool {
        guard oldByteCount + batch.payload.count <= Renewal.oldByteCountMax else { return false }
        oldByteCount += batch.payload.count
        oldBatches.append(batch)
        return true
    }

    /// Whether the snapshots with these heads had the batch, or what has become of it.
    static func isCovered(_ batch: OldBatch, by heads: [Heads]) -> Bool {
        heads.contains { told in
            guard told.origin == batch.stream.origin else { return false }
            // No head tells what an earlier start of a job has pushed.
            guard told.incarnation == batch.stream.incarnation else {
                return told.incarnation > batch.stream.incarnation && !told.isPushed
            }
            return told[batch.stream.topic].map { $0.sequence >= batch.sequence } ?? false
        }
    }

    func isRequest(_ rid: UInt64, _ sender: SenderID) -> Bool {
        guard parts.indices.contains(sender.index), case .asked(rid, _) = parts[sender.index] else { return false }
        return true
    }
}
