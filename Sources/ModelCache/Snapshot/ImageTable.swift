@_spi(RecordWriting) import ModelRecord

/// A record as it was, in eight bytes: a ``SlotWord`` with two more bits.
struct Image {
    fileprivate private(set) var bits: UInt64

    private static let absent: UInt64 = 1
    private static let removed: UInt64 = 2

    fileprivate init(bits: UInt64) { self.bits = bits }

    /// - Parameter isAbsent: the id had no record; `record` is the new one, and tells the id.
    init(_ record: UnmanagedRecord, isAbsent: Bool) {
        bits = unsafe SlotWord(record, hash: 0).bits | (isAbsent ? Image.absent : 0)
    }

    /// The same image with the low bits of a key, by which a search compares.
    fileprivate func marked(_ key: UInt64) -> Image { Image(bits: bits & (1 &<< 48 - 1) | key &<< 48) }

    /// The id was taken out of its slot while this image's epoch was the newest.
    var isRemoved: Bool {
        get { bits & Image.removed != 0 }
        set { bits = newValue ? bits | Image.removed : bits & ~Image.removed }
    }

    /// The record as it was; nil where the id had none. The table owns its count.
    var before: UnmanagedRecord? { bits & Image.absent != 0 ? nil : unsafe record }

    /// The record that tells the id. With ``before`` nil it is the new one.
    fileprivate var record: UnmanagedRecord? { unsafe SlotWord(bits: bits).record }

    fileprivate func resembles(_ key: UInt64) -> Bool { SlotWord(bits: bits).resembles(key) }
}

/// The images of an epoch in a shard: open addressing in the order of the keys, like the slots, between a half and
/// three quarters full. Where too many keys lie together the table becomes seeded, as a ``SlotArray`` does. A snapshot
/// costs these 8 bytes for each image at that rate, beside the records that it keeps alive.
///
/// Safe to use: each image owns one count of its record from ``add(_:_:)`` to ``releaseAll()``, or until another table
/// takes the image over. The table is never copied.
@safe struct ImageTable {
    private var places: [Image] = []
    private var count = 0
    private(set) var removedCount = 0
    private var isSeeded = false

    /// The distance of an image from its home above which the table becomes seeded. Ids that are changed in the order
    /// of their hashes crowd a part of the table, too. For them the seed costs one hash for each id.
    private static let distanceMax = 128
    /// The table does not grow beyond so many places for each image.
    private static let sparsest = 16

    subscript(place: Int) -> Image { places[place] }

    private func key(_ hash: UInt64, of record: UnmanagedRecord) -> UInt64 {
        isSeeded ? unsafe record.lend { SlotArray.seededKey(hash, $0.idBytes) } : hash
    }

    private func home(_ key: UInt64) -> Int {
        Int((key &<< SlotArray.shardBits).multipliedFullWidth(by: UInt64(places.count)).high)
    }

    private func next(_ place: Int) -> Int { place + 1 == places.count ? 0 : place + 1 }

    /// The place of the image of `id`.
    func find(_ hash: UInt64, _ id: Span<UInt8>) -> Int? {
        guard count > 0 else { return nil }
        let key = isSeeded ? SlotArray.seededKey(hash, id) : hash
        return unsafe find(key: key) { unsafe $0.hasID(id) }
    }

    /// The place of the image of a record's id.
    func find(_ hash: UInt64, of other: UnmanagedRecord) -> Int? {
        guard count > 0 else { return nil }
        return unsafe find(key: key(hash, of: other)) { unsafe $0.hasID(of: other) }
    }

    private func find(key: UInt64, _ isIt: (UnmanagedRecord) -> Bool) -> Int? {
        var place = home(key)
        while let record = unsafe places[place].record {
            if places[place].resembles(key), unsafe isIt(record) { return place }
            place = next(place)
        }
        return nil
    }

    /// Adds an image of an id that has none, with a count of its record.
    mutating func add(_ image: Image, _ hash: UInt64) {
        if (count + 1) * 4 > places.count * 3 { grow() }
        let distance = put(image, hash)
        count += 1
        if image.isRemoved { removedCount += 1 }
        guard distance > ImageTable.distanceMax else { return }
        // The images of one bucket have a quarter of the places, also in a seeded table. So that grows, up to the
        // sparsest.
        guard !isSeeded || count * ImageTable.sparsest >= places.count else { return }
        isSeeded = true
        grow()
    }

    mutating func noteRemoved(at place: Int) {
        guard !places[place].isRemoved else { return }
        places[place].isRemoved = true
        removedCount += 1
    }

    /// - Returns: how far the image stands from its home, in places.
    @discardableResult
    private mutating func put(_ image: Image, _ hash: UInt64) -> Int {
        guard let record = unsafe image.record else { preconditionFailure("an image tells its id") }
        let key = unsafe key(hash, of: record)
        var place = home(key)
        var distance = 0
        while places[place].bits != 0 {
            place = next(place)
            distance += 1
        }
        places[place] = image.marked(key)
        return distance
    }

    private mutating func grow() {
        let old = places
        // Half as many places again, or a third: capacities are powers of two, and one and a half times these.
        let half = old.count & (old.count - 1) == 0 ? old.count / 2 : old.count / 3
        places = [Image](repeating: Image(bits: 0), count: max(4, old.count + half))
        for image in old {
            guard let record = unsafe image.record else { continue }
            unsafe put(image, SlotArray.hash(idHash: record.idHash))
        }
    }

    /// Calls `body` for each image in `window` of an id that was removed.
    func forEachRemoved(in window: HashWindow, _ body: (UInt64, UnmanagedRecord) -> Void) {
        let keys = window.keys(isSeeded: isSeeded)
        let last = home(keys.upperBound)
        var place = home(keys.lowerBound)
        var isPastLast = false
        for _ in 0..<places.count {
            if let record = unsafe places[place].record {
                if places[place].isRemoved {
                    let hash = unsafe SlotArray.hash(idHash: record.idHash)
                    if unsafe window.contains(hash, record) { unsafe body(hash, record) }
                }
            } else if isPastLast {
                return
            }
            if place == last { isPastLast = true }
            place = next(place)
        }
    }

    /// Takes over the images of ids that have none here. Of the others it notes whether they were removed.
    mutating func take(from newer: inout ImageTable) {
        for index in newer.places.indices {
            let image = newer.places[index]
            guard let record = unsafe image.record else { continue }
            let hash = unsafe SlotArray.hash(idHash: record.idHash)
            if let place = unsafe find(hash, of: record) {
                if image.isRemoved { noteRemoved(at: place) }
            } else {
                // The count changes hands. The images that are left in `newer` only have to be released.
                newer.places[index] = Image(bits: 0)
                add(image, hash)
            }
        }
    }

    /// The length of the longest run of taken places, which bounds a search. For tests.
    var longestRun: Int { Runs.longest(count: places.count) { places[$0].bits != 0 } }

    /// Releases all records. The table is not used afterwards.
    mutating func releaseAll() {
        for image in places { unsafe image.record?.release() }
        places = []
        count = 0
    }
}
