import Dispatch
import ModelRecord

/// The observers of a cache, by what they observe. Under the cut lock.
struct Observers: Sendable {
    private struct Occupied {
        let lane: SharedInbox
        var count: Int
    }

    private(set) var everything: [Inbox] = []
    /// The observers of each type, by the number of its table; may be shorter than the directory.
    private var types: [TypeObservers?] = []
    private var lanes = Slab<Occupied>()
    private var laneNumbers: [ObjectIdentifier: UInt32] = [:]

    /// The observers of a type and its models, by the number of its table.
    @inline(__always)
    subscript(table: Int) -> TypeObservers? { table < types.count ? types[table] : nil }

    /// Some observer may be interested in models of the table.
    @inline(__always)
    func mayConcern(_ table: TypeTable) -> Bool {
        !everything.isEmpty || (table.number < types.count && types[table.number] != nil)
    }

    /// Some observer is interested in models of the table with this mixed hash.
    @inline(__always)
    func concern(_ table: TypeTable, _ hash: UInt64) -> Bool {
        guard mayConcern(table) else { return false }
        return !everything.isEmpty || self[table.number]?.concern(hash) ?? false
    }

    private mutating func ofType(_ table: TypeTable) -> TypeObservers {
        if types.count <= table.number {
            types.append(contentsOf: repeatElement(nil, count: table.number + 1 - types.count))
        }
        if let present = types[table.number] { return present }
        let made = TypeObservers()
        types[table.number] = made
        return made
    }

    // MARK: With an inbox

    /// - Parameter table: that of the type of interest; nil for everything.
    mutating func add(_ inbox: Inbox, _ table: TypeTable?) {
        guard let table else { return everything.append(inbox) }
        switch inbox.interest {
        case .everything: everything.append(inbox)
        case .type: ofType(table).add(inbox)
        case .model(_, let id):
            ofType(table).add(inbox, id: id, SlotArray.hash(idHash: Fingerprint.fnv(id)), idOf: idOf)
        }
    }

    mutating func remove(_ inbox: Inbox, _ table: TypeTable?) {
        guard let table else { return everything.removeAll { $0 === inbox } }
        switch inbox.interest {
        case .everything: everything.removeAll { $0 === inbox }
        case .type:
            self[table.number]?.remove(inbox)
            forget(table)
        case .model(_, let id):
            self[table.number]?.removeAlone(inbox, id: id, SlotArray.hash(idHash: Fingerprint.fnv(id)))
            forget(table)
        }
    }

    /// Frees the entry of a type whose last observer has gone, so that commits look for no observer there.
    private mutating func forget(_ table: TypeTable) {
        if self[table.number]?.isEmpty ?? false { types[table.number] = nil }
    }

    // MARK: In a lane

    /// Adds an observer of a single model to the lane of its queue, and makes the lane if there is none.
    /// - Returns: the lane, the observer's number in it, and whether the lane is to be woken.
    mutating func admit(
        _ member: SharedInboxMember, on queue: DispatchQueue
    ) -> (SharedInbox, UInt32, isToBeWoken: Bool) {
        let key = ObjectIdentifier(queue)
        let laneNumber: UInt32
        if let known = laneNumbers[key] {
            laneNumber = known
        } else {
            laneNumber = lanes.next
            lanes.add(Occupied(lane: SharedInbox(queue, number: laneNumber), count: 0))
            laneNumbers[key] = laneNumber
        }
        lanes[laneNumber]?.count += 1
        guard let lane = lanes[laneNumber]?.lane else { preconditionFailure("a lane that was found is there") }
        let (number, isToBeWoken) = lane.admit(member)
        ofType(member.table).add(
            Seat(lane: laneNumber, number: number), id: member.id, member.hash, idOf: idOf)
        return (lane, number, isToBeWoken)
    }

    /// Removes an observer of a single model, and the lane with its last one.
    /// - Returns: the member, to be released outside of the lock; nil where it has left already.
    mutating func vacate(_ number: UInt32, of lane: SharedInbox) -> SharedInboxMember? {
        guard let member = lane.vacate(number) else { return nil }
        self[member.table.number]?.remove(Seat(lane: lane.number, number: number), id: member.id, member.hash)
        forget(member.table)
        lanes[lane.number]?.count -= 1
        if lanes[lane.number]?.count == 0 {
            lanes.remove(lane.number)
            laneNumbers[ObjectIdentifier(lane.queue)] = nil
        }
        return member
    }

    /// The id that a seat in a lane observes.
    private func idOf(_ seat: Seat) -> String? { lanes[seat.lane]?.lane.id(of: seat.number) }

    /// A lane and how many observers it has.
    func lane(_ number: UInt32) -> (lane: SharedInbox, count: Int)? { lanes[number].map { ($0.lane, $0.count) } }
}
