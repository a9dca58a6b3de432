import ModelRecord

/// Who is interested in what. Under the cut lock.
struct Observers {
    /// Those of one type.
    struct OfType {
        var inboxes: [Inbox] = []
        /// Those of single models, by mixed hash.
        private(set) var models: [UInt64: [OfModel]] = [:]
        private var filter = HashFilter()

        /// The observers of the model with this hash, or of one whose hash is the same by accident.
        func models(_ hash: UInt64) -> [OfModel]? { filter.mayContain(hash) ? models[hash] : nil }

        mutating func add(_ observer: OfModel, _ hash: UInt64) {
            models[hash, default: []].append(observer)
            if filter.isFull(models.count) { filter = HashFilter(models.keys) }
            filter.insert(hash)
        }

        mutating func remove(_ inbox: Inbox, _ hash: UInt64) {
            models[hash]?.removeAll { $0.inbox === inbox }
            // The filter keeps the hash: it may say yes in vain, never no.
            if models[hash]?.isEmpty ?? false { models[hash] = nil }
        }

        var isEmpty: Bool { inboxes.isEmpty && models.isEmpty }
    }

    struct OfModel {
        let id: String
        let inbox: Inbox
    }

    private(set) var everything: [Inbox] = []
    private var types: [String: OfType] = [:]

    subscript(type: String) -> OfType? { types.isEmpty ? nil : types[type] }

    mutating func add(_ inbox: Inbox, _ interest: Interest) {
        switch interest {
        case .everything: everything.append(inbox)
        case .type(let type): types[type, default: OfType()].inboxes.append(inbox)
        case .model(let type, let id):
            let hash = SlotArray.hash(idHash: Fingerprint.fnv(id))
            types[type, default: OfType()].add(OfModel(id: id, inbox: inbox), hash)
        }
    }

    mutating func remove(_ inbox: Inbox, _ interest: Interest) {
        switch interest {
        case .everything: everything.removeAll { $0 === inbox }
        case .type(let type):
            types[type]?.inboxes.removeAll { $0 === inbox }
            if types[type]?.isEmpty ?? false { types[type] = nil }
        case .model(let type, let id):
            let hash = SlotArray.hash(idHash: Fingerprint.fnv(id))
            types[type]?.remove(inbox, hash)
            if types[type]?.isEmpty ?? false { types[type] = nil }
        }
    }
}

/// The change sets of one commit and who gets them: settled under the cut lock, sent under the writer lock.
struct Deliveries {
    private var sets: [(ChangeSet, [Inbox])] = []
    private var sections: [ChangeSection] = []
    private let commitNumber: UInt64

    init(commitNumber: UInt64 = 0) { self.commitNumber = commitNumber }

    /// Adds the changes of one type for those who observe it or a model of it.
    mutating func add(_ section: ChangeSection, _ observers: Observers.OfType?) {
        sections.append(section)
        guard let observers else { return }
        if !observers.inboxes.isEmpty {
            sets.append((ChangeSet(sections: [section], commitNumber: commitNumber), observers.inboxes))
        }
        guard !observers.models.isEmpty else { return }
        for entry in section.entries {
            guard let known = observers.models(SlotArray.hash(idHash: entry.new.idHash)) else { continue }
            let interested = known.filter { entry.new.hasID($0.id.utf8.span) }.map(\.inbox)
            guard !interested.isEmpty else { continue }
            let one = ChangeSection(type: section.type, entries: [entry])
            sets.append((ChangeSet(sections: [one], commitNumber: commitNumber), interested))
        }
    }

    /// Adds all changes for those who observe everything.
    mutating func finish(everything: [Inbox]) {
        guard !everything.isEmpty, !sections.isEmpty else { return }
        sets.append((ChangeSet(sections: sections, commitNumber: commitNumber), everything))
    }

    /// Puts each set into the inboxes.
    /// - Returns: those that are to be woken, once all locks are free.
    func send() -> [Inbox] {
        var woken: [Inbox] = []
        for (set, inboxes) in sets {
            for inbox in inboxes where inbox.append(set) { woken.append(inbox) }
        }
        return woken
    }
}
