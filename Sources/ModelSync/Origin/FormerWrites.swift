public import ModelCache
import ModelRecord

/// The writes of a publisher's earlier starts, as its own copy holds them: all versions of its name with a stamp below
/// that of the present start.
public struct FormerWrites: Sendable {
    /// The own copy of the publisher.
    public let cache: ModelCache
    /// The name of the publisher.
    public let origin: String
    /// The present start. Whatever has a stamp from here on travels in batches of this start.
    public let incarnation: UInt64
    /// The types to compare: earlier starts may have written them.
    public let types: [String]

    /// The former writes of a publisher in its copy; ``Origin/formerWrites`` makes them.
    public init(cache: ModelCache, origin: String, incarnation: UInt64, types: [String]) {
        self.cache = cache
        self.origin = origin
        self.incarnation = incarnation
        self.types = types
    }

    /// The ids of a bucket that a relay has to be asked for.
    /// - Parameter isEqual: the digest of the bucket at the relay is that of this copy.
    func ids(of type: String, bucket: Int, isEqual: Bool) -> [String] {
        var ids: [String] = []
        cache.snapshot().forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            // Where the digests are equal, only a floor can be missing at the relay.
            if isEqual, record.floor?.origin != origin { return true }
            guard let part = FormerPart(record, of: origin, before: incarnation) else { return true }
            if !isEqual || !part.isToldByDigest { ids.append(record.id) }
            return true
        }
        return ids
    }

    /// A relay holds all of a model, or something later.
    /// - Parameter record: the record of the relay; nil where it has none.
    func isHeld(_ id: String, of type: String, by record: CellRecord?) -> Bool {
        guard let own = cache.record(type: type, id: id, includingTombstones: true),
            let part = FormerPart(own, of: origin, before: incarnation)
        else { return true }
        return part.isHeld(by: record)
    }
}

/// The part of one model that an origin has written in some range of stamps, and that nothing later has replaced.
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

    /// - Returns: nil where the origin has written nothing of the model in that range.
    init?(_ record: CellRecord, of origin: String, before incarnation: UInt64) {
        self.init(record, of: origin) { $0 < incarnation }
    }

    /// The part of a record that an origin has written with certain stamps.
    /// - Returns: nil where the origin has written nothing of the model with such stamps.
    init?(_ record: CellRecord, of origin: String, where isMeant: (Stamp) -> Bool) {
        func isFormer(_ version: Version) -> Bool { version.origin == origin && isMeant(version.stamp) }
        self.origin = origin
        floor = record.floor.flatMap { isFormer($0) ? $0.stamp : nil }
        touched = record.exists ? record.touched.flatMap { isFormer($0) ? $0.stamp : nil } : nil
        cells = record.cells.filter { isFormer($0.version) }
        if floor == nil, touched == nil, cells.isEmpty { return nil }
    }

    /// A digest shows this part as a whole. Digests count cells and touches, so they show a floor only where the same
    /// write has left one of these.
    var isToldByDigest: Bool { floor == nil || touched == floor || cells.contains { $0.version.stamp == floor } }

    /// Joining this part would change nothing in the record, or only what something later has overwritten.
    func isHeld(by record: CellRecord?) -> Bool {
        guard let record else { return false }
        if let floor, record.floor.map({ $0 < Version(stamp: floor, origin: origin) }) ?? true { return false }
        func isHeld(_ version: Version, _ other: Version?) -> Bool {
            other.map { $0 >= version } ?? false || record.floor.map { $0 > version } ?? false
        }
        if let touched, !isHeld(Version(stamp: touched, origin: origin), record.touched) { return false }
        return cells.allSatisfy { isHeld($0.version, record.version(of: $0.field)) }
    }

    /// This part as updates with the versions that it has, in their order. A replica that has all of it already is not
    /// changed, and nothing later is overwritten.
    var updates: [Update] {
        var fields: [Stamp: [(String, Value)]] = [:]
        for cell in cells { fields[cell.version.stamp, default: []].append((cell.field, cell.value)) }
        for stamp in [floor, touched].compactMap({ $0 }) { fields[stamp] = fields[stamp] ?? [] }
        return fields.sorted { $0.key < $1.key }.map { stamp, fields in
            guard stamp == floor else { return Update(operation: .merge, stamp: stamp, fields: Fields(pairs: fields)) }
            // A delete leaves neither a field nor a touch of its stamp.
            return Update(operation: isToldByDigest ? .replace : .delete, stamp: stamp, fields: Fields(pairs: fields))
        }
    }
}
