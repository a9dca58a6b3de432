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

/// Several observers with the same hash, mostly of the same model.
struct SeatGroup: Sendable {
    private(set) var seats: [Seat]
    /// Where each stands, once there are many.
    private var positions: [Seat: Int] = [:]

    private static let searchedMax = 16

    init(_ first: Seat, _ second: Seat) { seats = [first, second] }

    /// The only one, if no others are left.
    var only: Seat? { seats.count == 1 ? seats[0] : nil }

    mutating func add(_ seat: Seat) {
        seats.append(seat)
        if !positions.isEmpty {
            positions[seat] = seats.count - 1
        } else if seats.count > SeatGroup.searchedMax {
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
