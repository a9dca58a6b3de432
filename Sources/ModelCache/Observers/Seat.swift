import ModelRecord

/// Where an observer of a single model sits: a lane, and a number in it. Or something in its place; see
/// ``TypeObservers``.
struct Seat: Hashable {
    let lane: UInt32
    let number: UInt32

    /// Nobody in particular.
    static let nobody = Seat(lane: .max, number: 0)

    /// Several observers have the same hash: the number is that of their group.
    static func group(_ number: UInt32) -> Seat { Seat(lane: .max - 1, number: number) }

    /// An observer with an inbox of its own, by number.
    static func alone(_ number: UInt32) -> Seat { Seat(lane: .max - 2, number: number) }

    var isGroup: Bool { lane == .max - 1 }
    var isAlone: Bool { lane == .max - 2 }
}

/// Several observers with the same hash: mostly of the same model. By accident never of another, but ids can be chosen
/// so: then those of a model are found by its id.
struct SeatGroup: Sendable {
    private var id = ""
    private var own = SeatList()
    /// The seats of other ids.
    private var others: [String: SeatList] = [:]

    /// The only one, if no others are left.
    var only: Seat? {
        guard own.seats.count + others.count < 2 else { return nil }
        return own.seats.first ?? others.first.flatMap { $0.value.only }
    }

    mutating func add(_ seat: Seat, id: String) {
        if own.seats.isEmpty, others.isEmpty { self.id = id }
        if self.id == id { own.add(seat) } else { others[id, default: SeatList()].add(seat) }
    }

    mutating func remove(_ seat: Seat, id: String) {
        if self.id == id { return own.remove(seat) }
        others[id]?.remove(seat)
        if others[id]?.seats.isEmpty ?? false { others[id] = nil }
    }

    /// The seats of the model of `record`, or of all where there is one model: who is told looks at the id himself, as
    /// one id may be another spelling of the other.
    func seats(of record: UnmanagedRecord) -> [Seat] {
        if others.isEmpty { return own.seats }
        let id = unsafe record.lend(\.id)
        return self.id == id ? own.seats : others[id]?.seats ?? []
    }
}

/// Observers of one model.
struct SeatList: Sendable {
    private(set) var seats: [Seat] = []
    /// Where each stands, once there are many.
    private var positions: [Seat: Int] = [:]

    private static let searchedMax = 16

    /// The only one.
    var only: Seat? { seats.count == 1 ? seats[0] : nil }

    mutating func add(_ seat: Seat) {
        seats.append(seat)
        if !positions.isEmpty {
            positions[seat] = seats.count - 1
        } else if seats.count > SeatList.searchedMax {
            for (position, seat) in seats.enumerated() { positions[seat] = position }
        }
    }

    /// - Complexity: O(1). The last one takes the place.
    mutating func remove(_ seat: Seat) {
        let found = positions.isEmpty ? seats.firstIndex(of: seat) : positions.removeValue(forKey: seat)
        guard let position = found, let last = seats.popLast(), position < seats.count else { return }
        seats[position] = last
        if !positions.isEmpty { positions[last] = position }
    }
}
