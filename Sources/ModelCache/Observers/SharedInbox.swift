import Dispatch
import ModelRecord

/// The queue of changes before all observers of single models that share a dispatch queue: one inbox for all of them.
///
/// A commit makes one section of all changes that these observers, the members, are to be told. Beside each change
/// stands the number of its member. The commit appends the section under one lock and wakes the queue once, however
/// many members there are. When more changes wait than max(4096, 2 × members) they are folded to one for each member.
/// So a lane never holds more than these, the changes of one more commit, and a first state for each member.
///
/// The members and the waiting changes have a lock each, so that a commit never waits for a look at a member. Neither
/// lock is taken under the other, or held while a handler is called.
final class SharedInbox: Sendable {
    let queue: DispatchQueue
    /// The number of this lane among those of the cache.
    let number: UInt32
    private let waiting = Guarded(SharedInboxWaiting())
    private let members = Guarded(SharedInboxMembers())

    private static let limitMin = 4096
    /// How many changes one run of `drain()` tells before it lets others use the queue.
    private static let turnMax = 64

    init(_ queue: DispatchQueue, number: UInt32) {
        self.queue = queue
        self.number = number
    }

    // MARK: Coming and going

    /// Adds a member. Its first state, if it has one, waits to be told. Under the cut lock.
    /// - Returns: the member's number, and whether ``wake()`` is to be called.
    func admit(_ member: SharedInboxMember) -> (number: UInt32, isToBeWoken: Bool) {
        let number = members.withLock { $0.add(member) }
        guard member.initial != nil else { return (number, false) }
        return (number, waiting.withLock { $0.appendInitial(number) })
    }

    /// Removes a member. Afterwards no call of its handler begins, except for one that was about to. Under the cut
    /// lock.
    /// - Returns: the member, to be released outside of all locks; nil where it has left already.
    func vacate(_ number: UInt32) -> SharedInboxMember? { members.withLock { $0.remove(number) } }

    /// The id that a member observes.
    func id(of number: UInt32) -> String { members.withLock { $0.id(of: number) } }

    // MARK: Filling

    /// Adds the changes of a commit; folds when too many changes wait. Under the writer lock.
    /// - Returns: true when ``wake()`` is to be called, outside all locks.
    func append(_ section: ChangeSection, memberCount: Int) -> Bool {
        let limit = max(SharedInbox.limitMin, 2 * memberCount)
        let (isToBeWoken, excess) = waiting.withLock { waiting -> (Bool, [SharedInboxBatch]) in
            waiting.append(section)
            guard waiting.changeCount > limit, waiting.batchCount > 1 else { return (waiting.isToBeWoken(), []) }
            return (false, waiting.takeAll())
        }
        guard !excess.isEmpty else { return isToBeWoken }
        // Folded outside the lock. No other thread appends changes meanwhile. A consumer that comes meanwhile finds at
        // most the first states of new members, and is woken afterwards.
        let folded = fold(excess)
        return waiting.withLock { waiting in
            waiting.putBack(folded)
            return waiting.isToBeWoken()
        }
    }

    private func fold(_ batches: [SharedInboxBatch]) -> [SharedInboxBatch] {
        var fold = SharedInboxConflation(memberCount: members.withLock { $0.numberCount })
        for batch in batches {
            guard let section = batch.section else {
                fold.keep(batch)
                continue
            }
            var position = batch.next
            while position < section.count {
                let end = min(position + SharedInbox.turnMax, section.count)
                // A few at a time, as a member may wait for the lock to cancel.
                let isHeard = members.withLock { members in
                    (position..<end).map { members.handler(of: section, at: $0) != nil }
                }
                for index in position..<end where isHeard[index - position] { fold.add(section, at: index) }
                position = end
            }
        }
        return fold.finish()
    }

    // MARK: Emptying

    /// Wakes the queue, as there is something to tell. Outside all locks.
    func wake() { queue.async { self.drain() } }

    /// Calls the handlers of the members with one change after the other. On the queue.
    private func drain() {
        var turns = 0
        while turns < SharedInbox.turnMax {
            let left = SharedInbox.turnMax - turns
            guard let part = waiting.withLock({ $0.take(left) }) else { return }
            turns += part.count
            // Members are looked up anew for each change, as a handler may have cancelled.
            if let section = part.section {
                for position in part.range {
                    guard let handler = members.withLock({ $0.handler(of: section, at: position) }) else { continue }
                    handler(ChangeSet(section, at: position))
                }
            } else {
                for number in part.initial {
                    guard let first = members.withLock({ $0.takeInitial(number) }) else { continue }
                    first.handler(first.set)
                }
            }
        }
        queue.async { self.drain() }
    }
}
