/// What a state machine has counted since it started, by the names used in logs, metrics and reports.
public struct Counters: Sendable {
    /// One counter. The raw value is its name everywhere.
    public enum Name: String, CaseIterable, Sendable {
        /// Frames that were not ours, or broken, and were dropped.
        case malformedFrames = "malformed_frames"
        /// Frames, operations or methods of a kind that this version does not know.
        case unknownKinds = "unknown_kinds"
        /// Batches whose stamp lay too far ahead of the wall clock.
        case clockRejectedBatches = "clock_rejected_batches"
        /// Records of a snapshot whose stamps lay too far ahead.
        case clockRejectedRecords = "clock_rejected_records"
        /// Batches that had been applied before.
        case duplicateBatches = "duplicate_batches"
        /// Batches applied.
        case appliedBatches = "applied_batches"
        /// Updates applied that changed the state.
        case appliedUpdates = "applied_updates"
        /// Updates that changed nothing.
        case unchangedUpdates = "unchanged_updates"
        /// Updates refused on their own.
        case refusedUpdates = "refused_updates"
        /// Cells with one version and two values.
        case conflictingCells = "conflicting_cells"
        /// Holes found.
        case holesFound = "holes_found"
        /// Holes that the missing batch filled by itself.
        case holesFilled = "holes_filled"
        /// Holes mended by a snapshot.
        case holesMendedBySnapshot = "holes_mended_by_snapshot"
        /// Differing digests at equal heads.
        case digestMismatches = "digest_mismatches"
        /// Records that came in snapshots.
        case snapshotRecords = "snapshot_records"
        /// Snapshots asked for.
        case snapshotsRequested = "snapshots_requested"
        /// Snapshots served.
        case snapshotsServed = "snapshots_served"
        /// New incarnations met.
        case newIncarnations = "new_incarnations"
        /// Batches of an incarnation that is not the greatest.
        case olderIncarnationBatches = "older_incarnation_batches"
        /// Times a sender was found silent.
        case senderTimeouts = "sender_timeouts"
        /// Requests that were answered with an error.
        case errorsReceived = "errors_received"
        /// Batches handed out for sending.
        case publishedBatches = "published_batches"
        /// Transactions over several topics of which a part did not come in time.
        case incompleteGroups = "incomplete_groups"
        /// Two incarnations of one origin that send in turns: two processes with one name.
        case incarnationConflicts = "incarnation_conflicts"
        /// Requests refused.
        case requestsRefused = "requests_refused"
    }

    private var values = [UInt64](repeating: 0, count: Name.allCases.count)
    private static let indices = Dictionary(
        uniqueKeysWithValues: Name.allCases.enumerated().map { ($1, $0) })

    /// All at zero.
    public init() {}

    /// The value of one counter.
    public subscript(name: Name) -> UInt64 {
        get { values[Counters.indices[name] ?? 0] }
        set { values[Counters.indices[name] ?? 0] = newValue }
    }

    /// The counters that are not zero.
    public var nonZero: [(name: Name, value: UInt64)] {
        Name.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 }
    }
}
