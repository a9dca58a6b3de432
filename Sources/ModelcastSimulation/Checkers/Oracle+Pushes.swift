import ModelRecord
import ModelWire

/// The identity of one batch.
struct BatchID: Hashable {
    let origin: String
    let incarnation: UInt64
    let topic: Topic
    let sequence: UInt64
}

/// A batch that a job has handed over to be pushed.
struct PushedBatch {
    let origin: String
    /// The indices of its updates in ``Oracle/updates``.
    let updates: Range<Int>
    /// The relays, by node, that have acknowledged it and have not lost it since.
    var holders: Set<Int> = []
    /// The holders that had it before half of the retention was over: long before a delete of its age is forgotten.
    var timely: Set<Int> = []
}

/// The promises of acknowledgements, and who must hold a pushed batch because of them.
///
/// A relay *holds* a pushed batch from the moment in which it sends the acknowledgement, whether that arrives or not: a
/// pusher that hears nothing asks again, and the relay must then give the same answer. The relay holds the batch until
/// it crashes without a disk, or loses its disk in a crash. A relay that keeps its disk holds it for ever, as it had to
/// write the batch before it acknowledged it. A relay that acknowledges a batch again, after it was pushed again, is a
/// holder again.
///
/// At rest a batch must be in the copy of each holder, and of each node that hears from one, directly or through other
/// relays. A batch without a holder is *at risk*: the job has died or given up before any relay had acknowledged it, or
/// a crash has cost every holder what it held. Copies that got it meanwhile then have it, and others do not. Whether a
/// job waits for one relay or for all makes no difference to what copies must hold. It decides only when the job may
/// end: when, by its own count, everything is acknowledged, and then each batch had a holder.
extension Oracle {
    mutating func notePush(_ batch: BatchFacts, topic: Topic, updates range: Range<Int>) {
        let id = BatchID(
            origin: batch.origin, incarnation: batch.incarnation, topic: topic, sequence: batch.sequence)
        pushByID[id] = pushes.count
        for index in range { updates[index].push = pushes.count }
        pushes.append(PushedBatch(origin: batch.origin, updates: range))
        // Copies may hold the batch before any relay has promised to keep it.
        hasRisk = true
    }

    /// A relay sends the acknowledgement of a batch.
    /// - Parameter milliseconds: the time, by a right wall clock.
    /// - Returns: false for a batch that was never pushed.
    mutating func acknowledge(_ id: BatchID, by relay: Int, at milliseconds: UInt64) -> Bool {
        guard let push = pushByID[id] else { return false }
        pushes[push].holders.insert(relay)
        let stamp = pushes[push].updates.first.map { updates[$0].version.stamp } ?? 0
        if milliseconds < (stamp >> 16) + retentionMilliseconds / 2 { pushes[push].timely.insert(relay) }
        for index in pushes[push].updates { updates[index].isAtRisk = false }
        return true
    }

    /// A job has written the version, half of the retention ago or longer.
    func isOldPush(_ version: Version, at milliseconds: UInt64) -> Bool {
        guard let step = stepByVersion[version], milliseconds >= (version.stamp >> 16) + retentionMilliseconds / 2
        else {
            return false
        }
        return steps[step].updates.contains { updates[$0].version == version && updates[$0].push != nil }
    }

    /// A relay has lost all that it held.
    mutating func lose(holder relay: Int) {
        for push in pushes.indices {
            pushes[push].holders.remove(relay)
            pushes[push].timely.remove(relay)
            // Batches that it had not acknowledged count as well: others may have half of a transaction from it.
            if pushes[push].holders.isEmpty { risk(push) }
        }
    }

    /// A job has died or given up: its batches that no relay holds are at risk.
    mutating func abandon(job: String) {
        for push in pushes.indices where pushes[push].origin == job && pushes[push].holders.isEmpty { risk(push) }
    }

    private mutating func risk(_ push: Int) {
        for index in pushes[push].updates { updates[index].isAtRisk = true }
    }

    /// True for a pushed batch that none of these relays holds: a copy that hears from no other relay may miss it for
    /// good.
    func isLost(_ id: BatchID, to relays: Set<Int>) -> Bool {
        pushByID[id].map { pushes[$0].holders.isDisjoint(with: relays) } ?? false
    }

    /// True when every copy that hears from these relays must hold the update.
    func isRequired(_ update: PublishedUpdate, hearing relays: Set<Int>) -> Bool {
        guard let push = update.push else { return !update.isAtRisk }
        return !pushes[push].holders.isDisjoint(with: relays)
    }

    /// Marks the pushed transactions that show in part at a node. The node has given up transactions whose parts did
    /// not all come in time, and has counted them.
    ///
    /// Such a transaction is no fault any more: a job pushes its parts one by one, and may die or be cut off between
    /// two. A step that a publisher has sent is not excused.
    mutating func tear(where holds: (PublishedUpdate) -> Bool) {
        for step in steps.indices where !steps[step].isTorn && steps[step].topics.count > 1 {
            let parts = steps[step].updates
            guard parts.contains(where: { updates[$0].push != nil }) else { continue }
            let held = parts.count { holds(updates[$0]) }
            if held > 0, held < parts.count { steps[step].isTorn = true }
        }
    }
}
