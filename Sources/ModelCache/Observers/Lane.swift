import Dispatch
import ModelRecord

/// What the observers of single models that share a queue have yet to be told: one inbox for all of them.
///
/// A commit makes one section of all changes that are of interest to them, with the number of who is told beside each,
/// and leaves it here with one lock taken and one wake-up, however many they are. When more changes wait than
/// max(4096, 2 × members) they are folded to one a member; so there are never more than these and those of one more
/// commit, and a first state for each.
///
/// Two locks, so that a commit never waits for a look at a member: what waits, and who the members are. Neither is
/// taken under the other, or held while anything is called.
final class Lane: Sendable {
    let queue: DispatchQueue
    /// Its number among the lanes of the cache.
    let number: UInt32
    private let waiting = Guarded(LaneWaiting())
    private let members = Guarded(LaneMembers())

    private static let limitMin = 4096
    /// How many are told in one run of a drain before it lets others use the queue.
    private static let turnMax = 64

    init(_ queue: DispatchQueue, number: UInt32) {
        self.queue = queue
        self.number = number
    }

    // MARK: Coming and going

    /// Adds a member, which is told its first state if it has one. Under the cut lock.
    /// - Returns: its number, and whether ``wake()`` is to be called.
    func admit(_ member: LaneMember) -> (number: UInt32, isToBeWoken: Bool) {
        let number = members.withLock { $0.add(member) }
        guard member.initial != nil else { return (number, false) }
        return (number, waiting.withLock { $0.appendInitial(number) })
    }

    /// Under the cut lock. After it no call of this member begins, but for one that was about to.
    /// - Returns: the member, to be released outside of all locks; nil where it has left already.
    func vacate(_ number: UInt32) -> LaneMember? { members.withLock { $0.remove(number) } }

    /// The id that a member observes.
    func id(of number: UInt32) -> String { members.withLock { $0.id(of: number) } }

    // MARK: Filling

    /// Adds the changes of a commit; folds when there are too many. Under the writer lock.
    /// - Returns: true when ``wake()`` is to be called, outside all locks.
    func append(_ section: ChangeSection, memberCount: Int) -> Bool {
        let limit = max(Lane.limitMin, 2 * memberCount)
        let (isToBeWoken, excess) = waiting.withLock { waiting -> (Bool, [LaneBatch]) in
            waiting.append(section)
            guard waiting.changeCount > limit, waiting.batchCount > 1 else { return (waiting.isToBeWoken(), []) }
            return (false, waiting.takeAll())
        }
        guard !excess.isEmpty else { return isToBeWoken }
        // Folded outside the lock. Nobody else appends changes meanwhile; a consumer who comes finds no more than first
        // states of those who are new, and is woken.
        let folded = fold(excess)
        return waiting.withLock { waiting in
            waiting.putBack(folded)
            return waiting.isToBeWoken()
        }
    }

    private func fold(_ batches: [LaneBatch]) -> [LaneBatch] {
        var fold = LaneConflation(memberCount: members.withLock { $0.numberCount })
        for batch in batches {
            guard let section = batch.section else {
                fold.keep(batch)
                continue
            }
            var position = batch.next
            while position < section.count {
                let end = min(position + Lane.turnMax, section.count)
                // A few at a time: somebody may wait to cancel.
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

    /// Lets the queue know that there is something. Called outside all locks.
    func wake() { queue.async { self.drain() } }

    /// Tells what there is, one member after the other: on the queue.
    private func drain() {
        var turns = 0
        while turns < Lane.turnMax {
            let left = Lane.turnMax - turns
            guard let part = waiting.withLock({ $0.take(left) }) else { return }
            turns += part.count
            // The members are asked anew for each: a handler may have cancelled.
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
