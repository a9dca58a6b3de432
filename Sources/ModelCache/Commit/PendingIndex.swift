import ModelRecord

/// Finds the entry of an id among the entries of a ``PendingSet``: open addressing, emptied in O(1).
///
/// The place of an entry comes from the mixed hash. Once an entry stands too far from its home, which chosen ids can
/// bring about, all places come from a seeded hash of the id, until the index is emptied.
struct PendingIndex {
    /// The generation in the upper half of a word, the entry's position in the lower. A place of another generation is
    /// empty.
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

    /// True when no entry can have this hash. In most cases one look decides.
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

    /// Adds the last of `entries`. ``reserve(_:_:)`` has made room for it.
    @inline(__always)
    mutating func insertLast(of entries: [Pending]) {
        let position = entries.count &- 1
        let distance = put(entries[position], position)
        if distance > PendingIndex.distanceMax, !isSeeded { seed(entries) }
    }

    /// - Returns: how far the entry stands from its home, in places.
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

    /// The length of the longest run of taken places, which bounds a search. For tests.
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
