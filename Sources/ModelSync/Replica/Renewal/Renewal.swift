@_spi(CacheWriting) import ModelCache
import ModelWire

/// A copy that is built beside the live one from the snapshots of all senders, and then takes its place.
final class Renewal {
    /// The part of one sender.
    private enum Part {
        /// The sender is to be asked, once it is synced.
        case waiting
        case asked(rid: UInt64, dueAt: UInt64)
        /// The sender has refused, and is asked again at this time.
        case resting(until: UInt64)
        case complete([Heads])
    }

    /// A message to a sender.
    enum Step: Equatable {
        case ask(SenderID, rid: UInt64)
        /// The request has not been answered in time.
        case cancel(SenderID, rid: UInt64)
    }

    let cache: ModelCache
    /// The prefixes of what is built anew.
    let prefixes: [Topic]
    let startedAt: UInt64
    /// When the first of the snapshots that are here may have been asked for.
    let collectedSince: UInt64
    /// The least number of a request whose records come into the new copy. What was asked for before may be older than
    /// deletes are remembered, and all that a sender has told comes once more with its part.
    let firstRID: UInt64
    /// The streams whose differences are the reason, and when each was found.
    var witnesses: [(stream: StreamState, foundAt: UInt64)] = []
    /// How far the streams had come when the renewal began; what came later is in both copies.
    var reachAtStart: [StreamReach] = []
    /// The senders of whose snapshots under way records were rejected for their clocks.
    private var rejecting: Set<SenderID> = []
    /// By the index of the sender.
    private var parts: [Part]
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

    /// - Parameters:
    ///   - cache: the live copy. What has left it for its limits does not come into the new one either.
    ///   - firstRID: the number that the next request gets.
    init(
        prefixes: [Topic], senderCount: Int, besides cache: ModelCache = ModelCache(), firstRID: UInt64, now: UInt64
    ) {
        self.cache = ModelCache(passingOver: cache)
        self.prefixes = prefixes
        startedAt = now
        collectedSince = now
        self.firstRID = firstRID
        parts = [Part](repeating: .waiting, count: senderCount)
    }

    /// Begins to collect once more what another has collected: with nothing but the batches that it put aside.
    init(collecting other: Renewal, besides cache: ModelCache = ModelCache(), firstRID: UInt64, now: UInt64) {
        self.cache = ModelCache(passingOver: cache)
        prefixes = other.prefixes
        startedAt = other.startedAt
        collectedSince = now
        self.firstRID = firstRID
        witnesses = other.witnesses
        parts = [Part](repeating: .waiting, count: other.parts.count)
        (oldBatches, oldByteCount) = (other.oldBatches, other.oldByteCount)
    }

    /// The models of a bucket of a type are built anew.
    func covers(_ type: String, bucket: Int) -> Bool {
        let topic = Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: bucket)
        return prefixes.contains { $0.isPrefix(of: topic) }
    }

    /// Goes on with the parts that are due, in the order of the senders.
    /// - Parameters:
    ///   - patience: for how long a request is waited for.
    ///   - makeRID: makes the number of a request.
    func next(
        now: UInt64, patience: UInt64, isSynced: (SenderID) -> Bool, makeRID: () -> UInt64
    ) -> [Step] {
        var steps: [Step] = []
        for index in parts.indices {
            let sender = SenderID(index: index)
            switch parts[index] {
            case .complete: continue
            case .waiting: break
            case .asked(let rid, let dueAt):
                guard now >= dueAt else { continue }
                steps.append(.cancel(sender, rid: rid))
                parts[index] = .waiting
            case .resting(let end):
                guard now >= end else { continue }
                parts[index] = .waiting
            }
            guard isSynced(sender) else { continue }
            let rid = makeRID()
            parts[index] = .asked(rid: rid, dueAt: now + patience)
            steps.append(.ask(sender, rid: rid))
        }
        return steps
    }

    /// Takes note that a sender's snapshot is coming: it is waited for until then.
    func noteProgress(_ rid: UInt64, of sender: SenderID, dueAt: UInt64) {
        parts[sender.index] = .asked(rid: rid, dueAt: dueAt)
    }

    /// Takes note that a record of a sender's snapshot was left out for its clock.
    func noteRejected(of sender: SenderID) { rejecting.insert(sender) }

    /// Whether records of the sender's snapshot were left out, so that it does not count.
    func takeRejected(of sender: SenderID) -> Bool { rejecting.remove(sender) != nil }

    /// Takes note that the snapshot of a sender is here, with these heads.
    func complete(_ sender: SenderID, _ heads: [Heads]) { parts[sender.index] = .complete(heads) }

    /// Takes note that a sender has refused, or is gone.
    /// - Parameter retryAt: when it is asked again; nil for when it is synced.
    func lose(_ sender: SenderID, retryAt: UInt64?) {
        guard parts.indices.contains(sender.index) else { return }
        rejecting.remove(sender)
        parts[sender.index] = retryAt.map { .resting(until: $0) } ?? .waiting
    }

    /// The steps that end the requests under way.
    var endings: [Step] {
        parts.enumerated().compactMap { index, part in
            guard case .asked(let rid, _) = part else { return nil }
            return .cancel(SenderID(index: index), rid: rid)
        }
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
