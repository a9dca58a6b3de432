import ModelRecord
import ModelWire

/// What one pushed sequence is.
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
    /// Those of them that had it long before a delete of its age is forgotten.
    var timely: Set<Int> = []
}

/// What acknowledgements promise.
///
/// A relay *holds* a pushed batch from the moment in which it sends the acknowledgement, whether that arrives or not:
/// the pusher that hears nothing asks again, and the relay may then say nothing else. It holds it until it crashes
/// without a disk, or loses its disk in a crash; a relay that keeps its disk holds it for ever, as it had to write the
/// batch before it acknowledged it. Later acknowledgements, of a batch that was pushed again, make it a holder again.
///
/// At rest a batch must be in the copy of each holder and of everybody who hears from one, directly or through other
/// relays. That is all. A batch without a holder is *at risk*: the job has died or given up before anybody had
/// acknowledged it, or all who had are the worse for a crash; then copies that got it meanwhile have it and others do
/// not. What a job was told (one relay, every relay) makes no difference to what must be there, only to whether the job
/// may end: it does when, by its own count, all is acknowledged, and then each batch had a holder.
extension Oracle {
    mutating func notePush(_ batch: BatchFacts, topic: Topic, updates range: Range<Int>) {
        let id = BatchID(
            origin: batch.origin, incarnation: batch.incarnation, topic: topic, sequence: batch.sequence)
        pushByID[id] = pushes.count
        for index in range { updates[index].push = pushes.count }
        pushes.append(PushedBatch(origin: batch.origin, updates: range))
        // Copies may hold it before anybody has promised to keep it.
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

    /// A relay has lost all that it held.
    mutating func lose(holder relay: Int) {
        for push in pushes.indices {
            pushes[push].holders.remove(relay)
            pushes[push].timely.remove(relay)
            // Also what it had not acknowledged yet: others may have half of a transaction from it.
            if pushes[push].holders.isEmpty { risk(push) }
        }
    }

    /// A job has died or given up: nobody brings what no relay holds.
    mutating func abandon(job: String) {
        for push in pushes.indices where pushes[push].origin == job && pushes[push].holders.isEmpty { risk(push) }
    }

    private mutating func risk(_ push: Int) {
        for index in pushes[push].updates { updates[index].isAtRisk = true }
    }

    /// A pushed batch that none of these relays holds: it may be missing for good where nobody else is heard.
    func isLost(_ id: BatchID, to relays: Set<Int>) -> Bool {
        pushByID[id].map { pushes[$0].holders.isDisjoint(with: relays) } ?? false
    }

    /// Every copy that hears from these relays must hold the update.
    func isRequired(_ update: PublishedUpdate, hearing relays: Set<Int>) -> Bool {
        guard let push = update.push else { return !update.isAtRisk }
        return !pushes[push].holders.isDisjoint(with: relays)
    }

    /// A node has let go of transactions whose parts did not all come in time, and has counted them. Those pushed ones
    /// that show in part there are nobody's fault any more: a job brings its parts one by one, and may die or be cut
    /// off between two. What a publisher has sent as one step is not let off.
    mutating func tear(where holds: (PublishedUpdate) -> Bool) {
        for step in steps.indices where !steps[step].isTorn && steps[step].topics.count > 1 {
            let parts = steps[step].updates
            guard parts.contains(where: { updates[$0].push != nil }) else { continue }
            let held = parts.count { holds(updates[$0]) }
            if held > 0, held < parts.count { steps[step].isTorn = true }
        }
    }
}
