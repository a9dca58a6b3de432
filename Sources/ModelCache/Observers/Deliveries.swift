import ModelRecord

/// The change sets of one commit and their receivers: settled under the cut lock, sent under the writer lock.
struct Deliveries: Sendable {
    private var sets: [(ChangeSet, [Inbox])] = []
    private var lanes: [(lane: SharedInbox, section: ChangeSection, memberCount: Int)] = []
    private var sections: [ChangeSection] = []
    private let commitNumber: UInt64

    init(commitNumber: UInt64 = 0) { self.commitNumber = commitNumber }

    /// True where no observer is told anything.
    var isEmpty: Bool { sets.isEmpty && lanes.isEmpty }

    /// Adds the changes of one type, for the observers of the type and those of its models.
    mutating func add(_ gathering: Gathering, of type: String, _ observers: borrowing Observers, _ writer: Writer) {
        if let all = gathering.all {
            if all.count > 0 {
                add(section(all, type, writer), gathering.observers?.inboxes ?? [], observers)
            } else {
                writer.spareParts.append(all.emptied())
            }
        }
        for (inbox, section) in gathering.alone {
            sets.append((ChangeSet(section, commitNumber: commitNumber), [inbox]))
        }
        guard var some = gathering.some else { return }
        guard some.count > 0 else { return writer.spareParts.append(some.emptied()) }
        guard gathering.isMixed else { return addLane(some, type, writer, observers) }
        some.sortByLane()
        var start = 0
        while start < some.count {
            let run = some.run(from: start)
            start += run.count
            addLane(run, type, writer, observers)
        }
        writer.spareParts.append(some.emptied())
    }

    private func section(_ changes: GatheredChanges, _ type: String, _ writer: Writer) -> ChangeSection {
        ChangeSection(changes, type: type, commitNumber: commitNumber, memory: writer.sectionMemory)
    }

    private mutating func add(_ section: ChangeSection, _ inboxes: [Inbox], _ observers: borrowing Observers) {
        if !inboxes.isEmpty { sets.append((ChangeSet(section, commitNumber: commitNumber), inboxes)) }
        if !observers.everything.isEmpty { sections.append(section) }
    }

    private mutating func addLane(
        _ changes: GatheredChanges, _ type: String, _ writer: Writer, _ observers: borrowing Observers
    ) {
        // The lane is there: its seats were found under the same lock.
        guard let (lane, count) = observers.lane(changes.lane(at: 0)) else { return }
        lanes.append((lane, section(changes, type, writer), count))
    }

    /// Adds all changes, for the observers of everything.
    mutating func finish(everything: [Inbox]) {
        guard !everything.isEmpty, !sections.isEmpty else { return }
        sets.append((ChangeSet(sections, commitNumber: commitNumber), everything))
    }

    /// Puts each set into the inbox or the lane that it is told from.
    /// - Returns: the inboxes and lanes that are to be woken, once all locks are free.
    func send() -> Wakeups {
        var woken = Wakeups()
        for (set, inboxes) in sets {
            for inbox in inboxes where inbox.append(set) { woken.inboxes.append(inbox) }
        }
        for (lane, section, memberCount) in lanes where lane.append(section, memberCount: memberCount) {
            woken.lanes.append(lane)
        }
        return woken
    }
}

/// The inboxes and lanes whose consumers are to be woken.
struct Wakeups {
    var inboxes: [Inbox] = []
    var lanes: [SharedInbox] = []

    /// Wakes the consumers. Outside all locks.
    func wake() {
        for inbox in inboxes { inbox.wake() }
        for lane in lanes { lane.wake() }
    }
}
