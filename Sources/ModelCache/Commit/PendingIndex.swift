import ModelRecord

/// Finds the entry of an id among the entries of a ``PendingSet``: open addressing, emptied in O(1).
///
/// By the mixed hash, until an entry comes to stand too far from where it belongs; then by a seeded hash of the id,
/// until it is emptied.
struct PendingIndex {
    /// Generation in the upper half, position in the lower; other generations are empty places.
    private var places: [UInt64] = []
    private var generation: UInt32 = 1
    private var isSeeded = false

    private static let distanceMax = 64

    /// Makes room for `count` entries, of which `entries` are there.
    mutating func reserve(_ count: Int, _ entries: [Pending]) {
        guard count * 2 > places.count else { return }
        var capacity = 64
        while capacity < count * 2 { capacity *= 2 }
        places = [UInt64](repeating: 0, count: capacity)
        for position in entries.indices { put(entries[position], position) }
    }

    /// No entry can be of this hash: most of the time one look tells.
    @inline(__always)
    func isAbsent(_ hash: UInt64) -> Bool {
        guard places.count > 0 else { return true }
        if isSeeded { return false }
        let place = Int(truncatingIfNeeded: hash) & (places.count &- 1)
        return UInt32(truncatingIfNeeded: places[place] &>> 32) != generation
    }

    /// The position of the entry of `id`, or -1.
    func find(_ hash: UInt64, _ id: Span<UInt8>, _ entries: [Pending]) -> Int {
        let mask = places.count &- 1
        guard mask > 0 else { return -1 }
        var place = Int(truncatingIfNeeded: isSeeded ? SeededHash.of(id) : hash) & mask
        while true {
            let found = places[place]
            guard UInt32(truncatingIfNeeded: found &>> 32) == generation else { return -1 }
            let position = Int(UInt32(truncatingIfNeeded: found))
            if entries[position].hash == hash, entries[position].hasID(id) { return position }
            place = (place &+ 1) & mask
        }
    }

    /// Adds the last of `entries`. There is room by ``reserve(_:_:)``.
    @inline(__always)
    mutating func insertLast(of entries: [Pending]) {
        let position = entries.count &- 1
        let distance = put(entries[position], position)
        if distance > PendingIndex.distanceMax, !isSeeded { seed(entries) }
    }

    /// - Returns: how far from where it belongs the entry stands.
    @inline(__always)
    @discardableResult
    private mutating func put(_ entry: Pending, _ position: Int) -> Int {
        let mask = places.count &- 1
        let home = Int(truncatingIfNeeded: isSeeded ? entry.seededHash : entry.hash) & mask
        var place = home
        while UInt32(truncatingIfNeeded: places[place] &>> 32) == generation { place = (place &+ 1) & mask }
        places[place] = UInt64(generation) << 32 | UInt64(position)
        return (place &- home) & mask
    }

    @inline(never)
    private mutating func seed(_ entries: [Pending]) {
        isSeeded = true
        places = [UInt64](repeating: 0, count: places.count)
        for position in entries.indices { put(entries[position], position) }
    }

    /// How many places in a row are taken at most: what bounds a search. For tests.
    var longestRun: Int {
        Runs.longest(count: places.count) { UInt32(truncatingIfNeeded: places[$0] &>> 32) == generation }
    }

    /// Forgets all entries.
    mutating func removeAll() {
        isSeeded = false
        generation &+= 1
        guard generation == 0 else { return }
        generation = 1
        for place in places.indices { places[place] = 0 }
    }
}
