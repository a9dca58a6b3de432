@_spi(RecordWriting) import ModelRecord

/// The place of an observer of a single model: a lane, and a number in it. Three lane numbers mean something else:
/// nobody, a group, an observer with an inbox of its own; see ``TypeObservers``.
struct Seat: Hashable {
    let lane: UInt32
    let number: UInt32

    /// No single observer.
    static let nobody = Seat(lane: .max, number: 0)

    /// The seat of several observers with the same hash; the number is that of their group.
    static func group(_ number: UInt32) -> Seat { Seat(lane: .max - 1, number: number) }

    /// The seat of an observer that has an inbox of its own; the number is that of its inbox.
    static func alone(_ number: UInt32) -> Seat { Seat(lane: .max - 2, number: number) }

    var isGroup: Bool { lane == .max - 1 }
    var isAlone: Bool { lane == .max - 2 }
}

/// Several observers with the same hash, most of the time of the same model. Two ids hardly ever have the same hash by
/// accident, but they can be chosen so. Then a dictionary finds the observers of a model by its id.
struct SeatGroup: Sendable {
    private var id = ""
    private var own = SeatList()
    /// The seats of other ids.
    private var others: [String: SeatList] = [:]

    /// The last seat, where only one is left.
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

    /// The seats of the model of `record`; of all observers, where they have one id. Observers compare the id
    /// themselves, as two ids that are equal as strings may have different bytes.
    func seats(of record: UnmanagedRecord) -> [Seat] {
        if others.isEmpty { return own.seats }
        let id = unsafe record.lend(\.id)
        return self.id == id ? own.seats : others[id]?.seats ?? []
    }
}

/// The observers of one model.
struct SeatList: Sendable {
    private(set) var seats: [Seat] = []
    /// The position of each seat, once there are many.
    private var positions: [Seat: Int] = [:]

    private static let searchedMax = 16

    /// The last seat, where only one is left.
    var only: Seat? { seats.count == 1 ? seats[0] : nil }

    mutating func add(_ seat: Seat) {
        seats.append(seat)
        if !positions.isEmpty {
            positions[seat] = seats.count - 1
        } else if seats.count > SeatList.searchedMax {
            for (position, seat) in seats.enumerated() { positions[seat] = position }
        }
    }

    /// Removes a seat; the last seat takes its place.
    /// - Complexity: O(1).
    mutating func remove(_ seat: Seat) {
        let found = positions.isEmpty ? seats.firstIndex(of: seat) : positions.removeValue(forKey: seat)
        guard let position = found, let last = seats.popLast(), position < seats.count else { return }
        seats[position] = last
        if !positions.isEmpty { positions[last] = position }
    }
}
