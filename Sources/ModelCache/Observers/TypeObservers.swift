@_spi(RecordWriting) import ModelRecord

/// The observers of a type and of its models.
// Unchecked because it is touched only under the cut lock.
final class TypeObservers: @unchecked Sendable {
    /// The observers of the whole type.
    private(set) var inboxes: [Inbox] = []
    /// The observers of single models, by mixed hash.
    private(set) var models = InterestTable()
    private var groups = Slab<SeatGroup>()
    private var alone = Slab<Alone>()

    /// An observer of one model that has an inbox of its own.
    struct Alone {
        let id: String
        let inbox: Inbox
    }

    deinit { models.destroy() }

    var isEmpty: Bool { inboxes.isEmpty && models.count == 0 }

    /// ``models``; nil where no single model is observed.
    var modelsIfAny: InterestTable? { models.count > 0 ? models : nil }

    // MARK: Of the type

    func add(_ inbox: Inbox) { inboxes.append(inbox) }

    func remove(_ inbox: Inbox) { inboxes.removeAll { $0 === inbox } }

    // MARK: Of single models

    /// Adds an observer of a model. Others may have its hash: see ``SeatGroup``.
    /// - Parameter idOf: tells the id of a lane's seat that was added before.
    func add(_ seat: Seat, id: String, _ hash: UInt64, idOf: (Seat) -> String?) {
        guard let present = models.seat(hash) else { return models.set(hash, seat) }
        if present.isGroup {
            groups[present.number]?.add(seat, id: id)
        } else {
            var group = SeatGroup()
            // The observer of the present seat has not left, so its id is known.
            group.add(present, id: present.isAlone ? alone[present.number]?.id ?? "" : idOf(present) ?? "")
            group.add(seat, id: id)
            models.set(hash, .group(groups.add(group)))
        }
    }

    func remove(_ seat: Seat, id: String, _ hash: UInt64) {
        guard let present = models.seat(hash) else { return }
        guard present.isGroup else {
            if present == seat { models.remove(hash) }
            return
        }
        groups[present.number]?.remove(seat, id: id)
        guard let last = groups[present.number]?.only else { return }
        groups.remove(present.number)
        models.set(hash, last)
    }

    func add(_ inbox: Inbox, id: String, _ hash: UInt64, idOf: (Seat) -> String?) {
        let seat = Seat.alone(alone.add(Alone(id: id, inbox: inbox)))
        inbox.seat = seat
        add(seat, id: id, hash, idOf: idOf)
    }

    func removeAlone(_ inbox: Inbox, id: String, _ hash: UInt64) {
        guard let seat = inbox.seat else { return }
        inbox.seat = nil
        remove(seat, id: id, hash)
        alone.remove(seat.number)
    }

    // MARK: Looked up by a commit

    /// Some observer is interested in the type, or in a model of this hash.
    func concern(_ hash: UInt64) -> Bool { !inboxes.isEmpty || modelsIfAny?.seat(hash) != nil }

    /// The seats of the group `seat` that are told when the model of `record` changes.
    func members(of seat: Seat, _ record: UnmanagedRecord) -> [Seat] {
        unsafe groups[seat.number]?.seats(of: record) ?? []
    }

    func alone(_ seat: Seat) -> Alone? { alone[seat.number] }
}
