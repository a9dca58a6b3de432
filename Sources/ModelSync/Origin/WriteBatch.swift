import ModelCache
public import ModelRecord
public import ModelWire

/// Writes in a row, checked and encoded when they are added, for an origin to do as a batch or as a transaction.
///
/// ```swift
/// var writes = WriteBatch(limits: configuration.limits)
/// try writes.append(.merge, type: "User", id: "42", fields: ["age": 30])
/// let outcome = try origin.writeBatch(&writes, now: now)
/// ```
/// ``removeAll()`` keeps the memory: adding to a warm batch allocates nothing.
public struct WriteBatch: Sendable {
    /// The limits that each write must keep.
    public let limits: WireLimits
    /// The ids and fields of all writes.
    var updates = UpdateBuffer()
    /// The runs of writes of one kind and type.
    private(set) var runs: [Run] = []

    struct Run {
        let write: Write
        let type: String
        /// The positions of the writes.
        var range: Range<Int>
    }

    /// An empty batch.
    public init(limits: WireLimits) { self.limits = limits }

    /// How many writes there are.
    public var count: Int { updates.count }

    /// Whether there are no writes.
    public var isEmpty: Bool { updates.count == 0 }

    /// The memory that the batch keeps, in bytes.
    public var capacityByteCount: Int { updates.capacityByteCount }

    /// Adds a write.
    /// - Parameter fields: empty for a delete.
    /// - Throws: `WireError` for a bad type, id or field; nothing has been added then.
    public mutating func append(
        _ write: Write, type: String, id: String, fields: Fields
    ) throws(WireError) {
        if let last = runs.indices.last, runs[last].write == write, runs[last].type == type {
            try updates.append(id: id, fields: fields, limits: limits)
            runs[last].range = runs[last].range.lowerBound..<updates.count
            return
        }
        do { try Names.check(type: type) } catch { throw WireError(error) }
        let start = updates.count
        try updates.append(id: id, fields: fields, limits: limits)
        runs.append(Run(write: write, type: type, range: start..<updates.count))
    }

    /// The model of each write in a copy, deleted ones included; nil for those that it does not have.
    func records(in copy: Snapshot) -> [CellRecord?] {
        runs.flatMap { run in
            updates.slices[run.range].map { slice in
                let id = String(decoding: updates.bytes[slice.idRange], as: UTF8.self)
                return copy.record(type: run.type, id: id, includingTombstones: true)
            }
        }
    }

    /// Hashes the ids that were added. The origin does it otherwise, so a caller saves time under its lock by doing it
    /// before.
    public mutating func hashIDs() { updates.hashIDs() }

    /// Forgets the writes and keeps the memory.
    public mutating func removeAll() {
        updates.removeAll()
        runs.removeAll(keepingCapacity: true)
    }
}
