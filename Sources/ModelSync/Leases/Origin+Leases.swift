import ModelCBOR
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// The leases of an origin.
struct OriginLeases {
    /// The stamp from which on leases are of this run of the process. A later incarnation within the run keeps it.
    var since: Stamp
    /// When the run began, on the clock of ``Moment/uptimeMicroseconds``.
    let startedAt: UInt64
    /// There is a lease of this origin, of this run or of an earlier one.
    var isAny = false

    init(since: Stamp, startedAt: UInt64) { (self.since, self.startedAt) = (since, startedAt) }
}

/// Leased models live as long as their origin, and a lease belongs to a run of it: what a later run does not lease
/// again it deletes, a lease's time after its start.
extension Origin {
    /// How many heartbeats a lease has at least: with fewer, one that is late would end it.
    static let leaseHeartbeatsMin: UInt64 = 2

    /// The stamp from which on leases are of this run. For tests.
    package var leasesSince: UInt64 { endings.leases.since }

    /// For how long a model that an earlier run has leased may stay, in milliseconds; nil for any other model.
    func timeLeft(ofFormerLease record: CellRecord, now: Moment) -> UInt64? {
        guard let lease = formerLease(of: record) else { return nil }
        return lease.milliseconds
            .subtractingOrZero(now.uptimeMicroseconds.subtractingOrZero(endings.leases.startedAt) / 1000)
    }

    private func formerLease(of record: CellRecord) -> Lease? {
        guard record.exists, let lease = record.lease, lease.version.origin == configuration.name,
            lease.version.stamp < endings.leases.since
        else { return nil }
        return lease
    }

    /// Refuses leases that are too short, and makes sure that those of this batch travel.
    mutating func prepareLeases(of writes: WriteBatch, now: Moment) throws(WireError) {
        let (bytes, slices) = (writes.updates.bytes, writes.updates.slices)
        for run in writes.runs {
            let state = try state(of: run.type)
            for slice in slices[run.range] {
                try prepareLease(
                    of: state, bytes.span.extracting(slice.idRange), idHash: slice.idHash,
                    bytes.span.extracting(slice.fieldsRange), fieldCount: Int(slice.fieldCount), now: now)
            }
        }
    }

    /// Refuses a lease that is too short, or that nobody could watch. Where the own copy has the same lease of an
    /// earlier run, that is taken away first: the write would else be none, and the model would end.
    mutating func prepareLease(
        of state: OriginType, _ id: Span<UInt8>, idHash: UInt64, _ fields: Span<UInt8>, fieldCount: Int, now: Moment
    ) throws(WireError) {
        guard let milliseconds = Origin.lease(in: fields, fieldCount: fieldCount) else { return }
        let least = Origin.leaseHeartbeatsMin * configuration.heartbeatInterval.wholeMicroseconds / 1000
        guard milliseconds >= least else {
            throw WireError(
                .value,
                "a lease of \(milliseconds) ms is shorter than \(Origin.leaseHeartbeatsMin) heartbeats of this "
                    + "publisher: give at least \(least) ms, or shorten the heartbeat")
        }
        guard !configuration.streamEndpoint.isEmpty else {
            throw WireError(
                .value,
                "a publisher that only pushes leases nothing, as nobody hears whether it is there: give it endpoints "
                    + "to serve at, or say when the model ends")
        }
        tellOfLeases(now: now)
        guard let record = state.table.record(id, idHash: idHash), formerLease(of: record) != nil else { return }
        var none: Fields = [:]
        none[FieldName.lease.text] = .undefined
        _ = try write(.merge, state, id: id, idHash: idHash, fields: try EncodedFields(none), now: now)
    }

    /// Tells, once, that there are leases. Those heads leave before the first of them, so that whoever takes it knows
    /// that it has to be watched.
    private mutating func tellOfLeases(now: Moment) {
        guard !endings.leases.isAny else { return }
        endings.leases.isAny = true
        flush()
        publish(.heads(origin: configuration.name), heads(all: false, now: now).encode())
    }

    /// The lease that encoded fields give their model, in milliseconds; nil where they give none. The fields have been
    /// checked.
    private static func lease(in fields: Span<UInt8>, fieldCount: Int) -> UInt64? {
        var reader = CBORReader(fields)
        for _ in 0..<fieldCount {
            let name = reader.skipValidText()
            let isLease = reader.string(name) == FieldName.lease.text
            if isLease, fields[reader.offset] >> 5 == 0 { return reader.readValidUnsigned() }
            if isLease { return nil }
            reader.skipValidItem()
        }
        return nil
    }
}
