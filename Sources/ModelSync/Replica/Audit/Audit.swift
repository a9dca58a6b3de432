import ModelRecord
import ModelWire

/// The search for a difference between this copy of a type and a sender's, and its end.
struct Audit {
    enum Step {
        /// The digests of all buckets were asked for.
        case comparing
        /// Buckets that differ are being fetched; these are still to come.
        case fetching(rest: [Int])
        /// The digests were asked for again, to see whether both copies are equal now.
        case verifying
        /// Buckets that still differ are fetched once more, to give up what no correct origin can have written. The
        /// rest is still to come.
        case replacing(part: [Int], rest: [Int])

        var isVerifying: Bool { if case .verifying = self { true } else { false } }
    }

    /// The relation that the digests of two copies must show.
    enum Comparability {
        /// Both copies must be equal.
        case equal
        /// This copy may hold more, for instance what an origin has lost or what came before its first batch. It must
        /// hold all that the sender has.
        case atLeast
    }

    /// The state of this copy at a moment: how far its streams were applied, and its digests.
    struct Cut {
        /// How far each stream of the type was applied, in the order in which the streams were met.
        let applied: [UInt64]
        /// The digests of all buckets.
        let digests: [UInt64]
        /// The copy may have held more than that, as the copy of another sender was on its way.
        let holdsMore: Bool
    }

    /// The answer of a sender: the digests of all buckets of its copy, and the heads at which that copy stood.
    struct Answer {
        let heads: [Heads]
        let digests: [UInt64]
        /// The heads in the answer of the streams of the type, in the order in which the streams were met; nil for a
        /// stream that it does not tell.
        let streamHeads: [UInt64?]
    }

    /// The result of comparing all buckets.
    struct Found {
        /// The buckets that differ, and what their digests must show.
        var different: [Int: Comparability] = [:]
        /// Some buckets could not be compared: this copy never stood at the heads of the answer.
        var hasUnknown = false

        /// The buckets that differ and must not.
        var unequal: [Int] { different.keys.filter { different[$0] == .equal }.sorted() }
    }

    /// The next step after a comparison.
    enum Verdict: Equatable {
        /// The copies are equal; the digests that the heads told were older than the heads.
        case equal
        /// The copies are equal now that the buckets have been fetched.
        case mended
        /// The copies could not be compared; they are again, or are not.
        case missed
        /// Some buckets differ: the sender's are asked for.
        case different
        /// These buckets still differ, though all that the sender holds is here.
        case irreparable([Int])
    }

    let sender: SenderID
    var step = Step.comparing
    /// The request that is under way; nil between two requests.
    var rid: UInt64?
    /// When the request is given up, or the next one goes out.
    var dueAt: UInt64
    let foundAt: UInt64
    /// The digests that the sender had told when the audit began.
    let told: [Topic: UInt64]
    /// The digest of the whole type here, before anything was fetched.
    let ownDigest: UInt64
    /// This copy at moments since the sender was asked: the answer tells of one of them, and batches go on coming.
    var cuts: [Cut] = []
    /// An answer that tells of heads which are not reached here yet.
    var answer: Answer?
    /// The records that one request has brought: they become visible in one step, or replace those that are here.
    var fetched = Staging()
    /// The stream to which the difference is attributed, once digests have differed at equal heads. From then on the
    /// type counts as being repaired.
    var difference: StreamState?
    /// How often the digests could not be compared, because heads had moved.
    var misses = 0

    /// Digests were asked for and are not judged yet, so each batch that comes now is remembered as a cut.
    var isAwaitingDigests: Bool {
        switch step {
        case .comparing, .verifying: answer != nil || rid != nil
        case .fetching, .replacing: false
        }
    }

    var isConfirmed: Bool { difference != nil }

    /// The next step after a comparison with this result.
    func verdict(on found: Found) -> Verdict {
        if case .comparing = step {
            guard found.different.isEmpty else { return .different }
            return found.hasUnknown ? .missed : .equal
        }
        if !found.unequal.isEmpty { return .irreparable(found.unequal) }
        return found.hasUnknown ? .missed : .mended
    }

    /// How many cuts are kept while an answer is on its way, the last ones. A cut takes two kilobytes, and eight bytes
    /// a stream.
    static let cutCountMax = 128
    /// How many buckets one request asks for.
    static let bucketCountMax = 16
    /// After how many comparisons that were not possible, because heads had moved, a fetch counts as done.
    static let missCountMax = 20
}
