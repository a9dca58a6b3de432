import ModelCache
import ModelWire

/// A copy that is built beside the live one from the snapshots of all senders, and then takes its place.
final class Renewal {
    /// Where one sender's part stands.
    enum Part {
        case waiting
        case asked(rid: UInt64, dueAt: UInt64)
        case complete([Heads])
    }

    let cache = ModelCache()
    /// What is built anew.
    let prefixes: [Topic]
    let startedAt: UInt64
    /// The streams whose differences are the reason, and when each was found.
    var witnesses: [(stream: StreamState, foundAt: UInt64)] = []
    /// The senders of whose snapshots under way records were rejected for their clocks.
    var rejecting: Set<SenderID> = []
    /// By sender.
    var parts: [Part]

    init(prefixes: [Topic], senderCount: Int, now: UInt64) {
        self.prefixes = prefixes
        startedAt = now
        parts = [Part](repeating: .waiting, count: senderCount)
    }

    /// All senders' snapshots are here.
    var completeHeads: [Heads]? {
        var heads: [Heads] = []
        for part in parts {
            guard case .complete(let told) = part else { return nil }
            heads += told
        }
        return heads
    }

    func isRequest(_ rid: UInt64, _ sender: SenderID) -> Bool {
        guard parts.indices.contains(sender.index), case .asked(rid, _) = parts[sender.index] else { return false }
        return true
    }
}
