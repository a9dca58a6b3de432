import ModelCBOR
@_spi(RecordWriting) public import ModelRecord

/// A batch of updates in the making, encoded as a publisher would.
public struct TestBatch {
    private var bytes: [UInt8] = []
    private var slices: [UpdateSlice] = []
    private let origin: [UInt8]

    /// An empty batch.
    public init(origin: String = "test") { self.origin = Array(origin.utf8) }

    /// Adds an update.
    /// - Parameter idHash: another hash than the id's own, to make two ids collide.
    public mutating func add(
        _ operation: UpdateOperation, _ id: String, _ fields: Fields = [:], at stamp: Stamp, idHash: UInt64? = nil
    ) {
        let idStart = bytes.count
        bytes.append(contentsOf: id.utf8)
        let fieldsStart = bytes.count
        var writer = CBORWriter()
        for pair in fields.pairs {
            writer.write(text: pair.field)
            writer.write(pair.value)
        }
        bytes.append(contentsOf: writer.bytes)
        slices.append(
            UpdateSlice(
                operation: operation, stamp: stamp, idHash: idHash ?? Fingerprint.fnv(id), id: idStart..<fieldsStart,
                fields: fieldsStart..<bytes.count, fieldCount: fields.count))
    }

    /// How many updates there are.
    public var count: Int { slices.count }

    /// Lends the batch as publishers and replicas commit it.
    public func withView<R>(_ body: (UpdateBatchView) throws -> R) rethrows -> R {
        let origin = origin.span
        return try body(
            UpdateBatchView(
                bytes: bytes.span, slices: slices.span, origin: origin, originHash: Fingerprint.fnv(origin)))
    }

    /// The records that the batch leads to by the merge rule, without a cache.
    public func merge(into records: inout [String: CellRecord]) {
        var plan = MergePlan()
        withView { view in
            for index in 0..<view.count {
                let update = view.update(at: index)
                var id: [UInt8] = []
                for position in update.id.indices { id.append(update.id[position]) }
                let key = String(decoding: id, as: UTF8.self)
                if let record = CellRecord.applying(update, to: records[key], plan: &plan).record {
                    records[key] = record
                }
            }
        }
    }
}
