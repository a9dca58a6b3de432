import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import ModelReference

/// An update as ModelRecord takes it: bytes that a view is lent from.
struct EncodedUpdate {
    var operation: UpdateOperation
    var stamp: Stamp
    var origin: [UInt8]
    /// The id, and behind it the pairs.
    var bytes: [UInt8]
    var slices: [UpdateSlice]

    init(_ operation: UpdateOperation, _ version: Version, id: String, pairs: [UInt8], count: Int) {
        self.operation = operation
        stamp = version.stamp
        origin = Array(version.origin.utf8)
        bytes = Array(id.utf8) + pairs
        let idEnd = id.utf8.count
        slices = [
            UpdateSlice(
                operation: operation, stamp: stamp, idHash: Fingerprint.fnv(id), id: 0..<idEnd,
                fields: idEnd..<bytes.count, fieldCount: count)
        ]
    }

    /// Applies the update to `record` through a batch of one.
    func apply(to record: CellRecord?, plan: inout MergePlan, keepingEqual: Bool = false) -> MergeResult {
        let batch = UpdateBatchView(
            bytes: bytes.span, slices: slices.span, origin: origin.span, originHash: Fingerprint.fnv(origin.span))
        return CellRecord.applying(batch.update(at: 0), to: record, plan: &plan, keepingEqual: keepingEqual)
    }
}

extension EncodedUpdate {
    /// An update of readable fields.
    init(_ operation: UpdateOperation, _ version: Version, id: String = "model", _ fields: Fields = [:]) {
        var writer = CBORWriter()
        for pair in fields.pairs {
            writer.write(text: pair.field)
            writer.write(pair.value)
        }
        self.init(operation, version, id: id, pairs: writer.bytes, count: fields.count)
    }

    /// The same as the reference has it.
    init(_ update: ReferenceUpdate, id: String) {
        let pairs = update.fields.map { (key: encodedText($0.key), value: $0.value) }
        self.init(
            UpdateOperation(rawValue: update.operation.rawValue) ?? .merge,
            Version(stamp: update.version.stamp, origin: update.version.origin), id: id,
            pairs: pairs.sorted { $0.key.precedes($1.key) }.flatMap { $0.key + $0.value }, count: pairs.count)
    }
}

/// A plan for tests whose state is copied: a plan has no copies, and what is in it matters for one merge only.
final class Scratch {
    var plan = MergePlan()
}

/// One model that is told of updates: what a replica does, in a line.
struct Model {
    private(set) var record: CellRecord?
    /// What came of the last update or join.
    private(set) var last: MergeResult?
    private let scratch = Scratch()

    mutating func merge(_ version: Version, _ fields: Fields) { apply(EncodedUpdate(.merge, version, fields)) }
    mutating func replace(_ version: Version, _ fields: Fields) { apply(EncodedUpdate(.replace, version, fields)) }
    mutating func delete(_ version: Version) { apply(EncodedUpdate(.delete, version)) }

    mutating func apply(_ update: EncodedUpdate) { take(update.apply(to: record, plan: &scratch.plan)) }
    mutating func join(_ other: CellRecord) { take(CellRecord.joining(other, to: record, plan: &scratch.plan)) }

    private mutating func take(_ result: MergeResult) {
        last = result
        if let changed = result.record { record = changed }
    }

    subscript(field: String) -> Value? { record?[field] }
}

extension Int {
    /// The version that origin `name` wrote at this stamp.
    func by(_ name: String) -> Version { Version(stamp: Stamp(self), origin: name) }
}

extension CellRecord {
    var array: [UInt8] { bytes.array }

    /// Reads the record that `bytes` holds, and nothing behind it.
    init(bytes: [UInt8], maxDepth: Int = 64) throws {
        var reader = CBORReader(bytes.span)
        try self.init(reading: &reader, maxDepth: maxDepth)
        try reader.expectEnd()
    }
}

extension Span<UInt8> {
    var array: [UInt8] { indices.map { self[$0] } }
}

extension Value {
    var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.write(self)
        return writer.bytes
    }

    /// Reads the value that `bytes` holds, and nothing behind it.
    init(bytes: [UInt8], maxDepth: Int = 64) throws {
        var reader = CBORReader(bytes.span)
        try self.init(reading: &reader, maxDepth: maxDepth)
        try reader.expectEnd()
    }
}
