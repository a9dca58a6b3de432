import ModelRecord

/// One record as it was, in eight bytes: as a ``SlotWord``, with two bits of its own.
struct Image {
    fileprivate private(set) var bits: UInt64

    private static let absent: UInt64 = 1
    private static let removed: UInt64 = 2

    fileprivate init(bits: UInt64) { self.bits = bits }

    /// - Parameter isAbsent: there was no record; this is the new one, which tells the id.
    init(_ record: UnmanagedRecord, isAbsent: Bool, hash: UInt64) {
        bits = unsafe SlotWord(record, hash: hash).bits | (isAbsent ? Image.absent : 0)
    }

    /// The id was taken out of its slot while this image's epoch was the newest.
    var isRemoved: Bool {
        get { bits & Image.removed != 0 }
        set { bits = newValue ? bits | Image.removed : bits & ~Image.removed }
    }

    /// The record as it was; nil where there was none. Its owner is the table.
    var before: UnmanagedRecord? { bits & Image.absent != 0 ? nil : unsafe record }

    /// The record that tells the id.
    fileprivate var record: UnmanagedRecord? { unsafe SlotWord(bits: bits).record }

    fileprivate func resembles(_ hash: UInt64) -> Bool { SlotWord(bits: bits).resembles(hash) }
}

/// The images of an epoch in a shard: open addressing, in the order of the hashes like the slots, between a half and
/// three quarters full. What a snapshot costs beside the records that it keeps alive is these 8 bytes at that rate.
///
/// Safe to use: each image owns one count of its record from ``add(_:_:)`` to ``releaseAll()``, or until another table
/// takes it over. Not a value: no copies are made.
@safe struct ImageTable {
    private var places: [Image] = []
    private var count = 0
    private(set) var removedCount = 0

    subscript(place: Int) -> Image { places[place] }

    private func home(_ hash: UInt64) -> Int {
        Int((hash &<< SlotArray.shardBits).multipliedFullWidth(by: UInt64(places.count)).high)
    }

    private func next(_ place: Int) -> Int { place + 1 == places.count ? 0 : place + 1 }

    /// The place of the image of `id`.
    func find(_ hash: UInt64, _ id: Span<UInt8>) -> Int? { unsafe find(hash) { unsafe $0.hasID(id) } }

    /// The place of the image whose record is the one that `isIt` says.
    func find(_ hash: UInt64, _ isIt: (UnmanagedRecord) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var place = home(hash)
        while let record = unsafe places[place].record {
            if places[place].resembles(hash), unsafe isIt(record) { return place }
            place = next(place)
        }
        return nil
    }

    /// Adds an image whose record's id has none, and with it a count of the record.
    mutating func add(_ image: Image, _ hash: UInt64) {
        if (count + 1) * 4 > places.count * 3 { grow() }
        put(image, hash)
        count += 1
        if image.isRemoved { removedCount += 1 }
    }

    mutating func noteRemoved(at place: Int) {
        guard !places[place].isRemoved else { return }
        places[place].isRemoved = true
        removedCount += 1
    }

    private mutating func put(_ image: Image, _ hash: UInt64) {
        var place = home(hash)
        while places[place].bits != 0 { place = next(place) }
        places[place] = image
    }

    private mutating func grow() {
        let old = places
        // Half as many again, or a third: powers of two, and one and a half times these.
        let half = old.count & (old.count - 1) == 0 ? old.count / 2 : old.count / 3
        places = [Image](repeating: Image(bits: 0), count: max(4, old.count + half))
        for image in old {
            guard let record = unsafe image.record else { continue }
            unsafe put(image, SlotArray.hash(idHash: record.idHash))
        }
    }

    /// Calls `body` for each image of an id that was removed.
    func forEachRemoved(hashes: ClosedRange<UInt64>, _ body: (UInt64, UnmanagedRecord) -> Void) {
        let last = home(hashes.upperBound)
        var place = home(hashes.lowerBound)
        var isPastLast = false
        for _ in 0..<places.count {
            if let record = unsafe places[place].record {
                if places[place].isRemoved {
                    let hash = unsafe SlotArray.hash(idHash: record.idHash)
                    if hashes.contains(hash) { unsafe body(hash, record) }
                }
            } else if isPastLast {
                return
            }
            if place == last { isPastLast = true }
            place = next(place)
        }
    }

    /// Takes over the images of ids that have none here. Of the others it is noted whether they were removed.
    mutating func take(from newer: inout ImageTable) {
        for index in newer.places.indices {
            let image = newer.places[index]
            guard let record = unsafe image.record else { continue }
            let hash = unsafe SlotArray.hash(idHash: record.idHash)
            if let place = unsafe find(hash, { unsafe $0.hasID(of: record) }) {
                if image.isRemoved { noteRemoved(at: place) }
            } else {
                // The count changes hands. What is left over there serves for releasing only.
                newer.places[index] = Image(bits: 0)
                add(image, hash)
            }
        }
    }

    /// Gives up all records. The end of it.
    mutating func releaseAll() {
        for image in places { unsafe image.record?.release() }
        places = []
        count = 0
    }
}
