import ModelCBOR
@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord

/// A batch of updates in the making, encoded as a publisher would.
struct TestBatch {
    private var bytes: [UInt8] = []
    private var slices: [UpdateSlice] = []
    private let origin: [UInt8]

    init(origin: String = "test") { self.origin = Array(origin.utf8) }

    /// - Parameter idHash: another hash than the id's own, to make two ids collide.
    mutating func add(
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
    var count: Int { slices.count }

    /// Commits the batch as publishers and replicas do.
    func commit(to cache: ModelCache, in table: ModelTable) -> BatchSummary { withView { cache.commit($0, in: table) } }

    func withView<R>(_ body: (UpdateBatchView) throws -> R) rethrows -> R {
        let origin = origin.span
        return try body(
            UpdateBatchView(
                bytes: bytes.span, slices: slices.span, origin: origin, originHash: Fingerprint.fnv(origin)))
    }

    /// The records that the batch leads to by the merge rule, without a cache.
    func merge(into records: inout [String: CellRecord]) {
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

extension ModelCache {
    @discardableResult
    func commit(_ batch: TestBatch, _ type: String) -> CommitSummary {
        batch.withView { commit($0, type: type) }
    }

    /// Commits a single update.
    @discardableResult
    func commit(
        _ type: String, _ id: String, _ fields: Fields = [:], as operation: UpdateOperation = .merge,
        at stamp: Stamp
    ) -> CommitSummary {
        var batch = TestBatch()
        batch.add(operation, id, fields, at: stamp)
        return commit(batch, type)
    }
}

extension Commit {
    mutating func apply(_ batch: TestBatch, _ type: String) {
        batch.withView { apply($0, type: type) }
    }
}

extension ModelTable {
    /// Where the record of a model is; no reference is kept.
    func address(of id: String) -> UInt {
        guard let record = self[id] else { return 0 }
        let unmanaged = unsafe UnmanagedRecord(record)
        defer { unsafe unmanaged.release() }
        return unsafe UInt(bitPattern: unmanaged.address)
    }
}
