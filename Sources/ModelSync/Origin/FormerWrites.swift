public import ModelCache
import ModelRecord

/// What earlier starts of a publisher have written, as its own copy holds it: everything of its name with a stamp below
/// that of the present start.
public struct FormerWrites: Sendable {
    public let cache: ModelCache
    public let origin: String
    /// The present start: whatever has a stamp from here on travels in batches of this start.
    public let incarnation: UInt64
    /// The types of which there is something, or was.
    public let types: [String]

    public init(cache: ModelCache, origin: String, incarnation: UInt64, types: [String]) {
        self.cache = cache
        self.origin = origin
        self.incarnation = incarnation
        self.types = types
    }

    /// The ids of a bucket that a relay has to be asked for.
    /// - Parameter isEqual: the relay's digest of the bucket is that of this copy.
    func ids(of type: String, bucket: Int, isEqual: Bool) -> [String] {
        var ids: [String] = []
        cache.snapshot().forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            // Without a floor equal digests say all.
            if isEqual, record.floor?.origin != origin { return true }
            guard let part = FormerPart(record, of: origin, before: incarnation) else { return true }
            if !isEqual || !part.isToldByDigest { ids.append(record.id) }
            return true
        }
        return ids
    }

    /// A relay holds all of a model, or what is later.
    /// - Parameter record: the relay's; nil where it has none.
    func isHeld(_ id: String, of type: String, by record: CellRecord?) -> Bool {
        guard let own = cache.record(type: type, id: id, includingTombstones: true),
            let part = FormerPart(own, of: origin, before: incarnation)
        else { return true }
        return part.isHeld(by: record)
    }
}

/// What an origin has written of one model before some stamp, or after it, and nothing later has taken the place of.
struct FormerPart {
    struct Update {
        let operation: UpdateOperation
        let stamp: Stamp
        let fields: Fields
    }

    private let origin: String
    private let floor: Stamp?
    private let touched: Stamp?
    private let cells: [Cell]

    /// - Returns: nil where there is nothing.
    init?(_ record: CellRecord, of origin: String, before incarnation: UInt64) {
        self.init(record, of: origin) { $0 < incarnation }
    }

    /// What an origin has written with certain stamps.
    /// - Returns: nil where there is nothing.
    init?(_ record: CellRecord, of origin: String, where isMeant: (Stamp) -> Bool) {
        func isFormer(_ version: Version) -> Bool { version.origin == origin && isMeant(version.stamp) }
        self.origin = origin
        floor = record.floor.flatMap { isFormer($0) ? $0.stamp : nil }
        touched = record.exists ? record.touched.flatMap { isFormer($0) ? $0.stamp : nil } : nil
        cells = record.cells.filter { isFormer($0.version) }
        if floor == nil, touched == nil, cells.isEmpty { return nil }
    }

    /// Digests know cells and touches. A floor comes with those that were written in the same step; of another they say
    /// nothing.
    var isToldByDigest: Bool { floor == nil || touched == floor || cells.contains { $0.version.stamp == floor } }

    /// Joining this part changes nothing there, or only what something later has overwritten.
    func isHeld(by record: CellRecord?) -> Bool {
        guard let record else { return false }
        if let floor, record.floor.map({ $0 < Version(stamp: floor, origin: origin) }) ?? true { return false }
        func isHeld(_ version: Version, _ other: Version?) -> Bool {
            other.map { $0 >= version } ?? false || record.floor.map { $0 > version } ?? false
        }
        if let touched, !isHeld(Version(stamp: touched, origin: origin), record.touched) { return false }
        return cells.allSatisfy { isHeld($0.version, record.version(of: $0.field)) }
    }

    /// The same as updates with the versions that everything has, in their order: whoever has all of it already is not
    /// changed, and nothing later is overwritten.
    var updates: [Update] {
        var fields: [Stamp: [String: Value]] = [:]
        for cell in cells { fields[cell.version.stamp, default: [:]][cell.field] = cell.value }
        for stamp in [floor, touched].compactMap({ $0 }) { fields[stamp] = fields[stamp] ?? [:] }
        return fields.sorted { $0.key < $1.key }.map { stamp, fields in
            guard stamp == floor else { return Update(operation: .merge, stamp: stamp, fields: Fields(fields)) }
            // What only deletes has neither field nor touch.
            return Update(operation: isToldByDigest ? .replace : .delete, stamp: stamp, fields: Fields(fields))
        }
    }
}
