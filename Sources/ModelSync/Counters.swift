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
        /// Heads of a start that lay too far ahead of the wall clock.
        case clockRejectedHeads = "clock_rejected_heads"
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
        /// Holes mended by a replay of what was missing.
        case holesMendedByReplay = "holes_mended_by_replay"
        /// Holes mended by a snapshot.
        case holesMendedBySnapshot = "holes_mended_by_snapshot"
        /// Holes mended by a snapshot because a batch stayed malformed.
        case holesMendedByQuarantine = "holes_mended_by_quarantine"
        /// Differences mended by taking the buckets that differ.
        case holesMendedByBuckets = "holes_mended_by_buckets"
        /// Differences and absences mended by building the state anew.
        case holesMendedAnew = "holes_mended_anew"
        /// Holes that nobody looks into by themselves any more, as something that takes in more has taken their place.
        case holesSuperseded = "holes_superseded"
        /// Replays asked for.
        case replaysRequested = "replays_requested"
        /// Batches that came by replay.
        case replayedBatches = "replayed_batches"
        /// Replies that carried what was not asked for.
        case unaskedReplies = "unasked_replies"
        /// Requests of repairs that were not answered in time.
        case repairTimeouts = "repair_timeouts"
        /// Batches that stayed malformed when they were sent again, and were left out.
        case quarantinedBatches = "quarantined_batches"
        /// Digests asked for, to narrow a difference down.
        case digestAudits = "digest_audits"
        /// Deleted models that were forgotten, as their retention was over.
        case tombstonesDropped = "tombstones_dropped"
        /// Times the state was built anew beside the old one.
        case renewals = "renewals"
        /// Batches of an older incarnation that were older than deleted models are remembered.
        case expiredBatches = "expired_batches"
        /// Digests that still differed when the sender's copy had been joined.
        case irreparableDifferences = "irreparable_differences"
        /// Buckets taken from a sender because their digests differed.
        case bucketsFetched = "buckets_fetched"
        /// Snapshots too large to become visible in one step.
        case unstagedSnapshots = "unstaged_snapshots"
        /// Streams and origins that were not followed, as there were too many.
        case refusedStreams = "refused_streams"
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
        /// Batches that were pushed here and merged.
        case pushedBatches = "pushed_batches"
        /// Requests refused.
        case requestsRefused = "requests_refused"
        /// Requests refused because the peer has used up its budget, or too much is under way.
        case requestsBusy = "requests_busy"
        /// Requests refused because they are past a limit, or their batch is not the next.
        case requestsLimit = "requests_limit"
        /// Requests refused because they cannot be read, or ask for what cannot be.
        case requestsMalformed = "requests_malformed"
        /// Requests refused because this is not the place for them.
        case requestsDenied = "requests_denied"
        /// Requests refused because the other side speaks another version.
        case requestsVersion = "requests_version"
        /// Requests refused because nothing is known of the origin.
        case requestsUnknownOrigin = "requests_unknown_origin"
        /// Requests refused because nothing is known of the topic.
        case requestsUnknownTopic = "requests_unknown_topic"
        /// Requests refused because something went wrong here.
        case requestsInternal = "requests_internal"
        /// Requests that were not even answered with an error, because the peer has been told too many.
        case requestsIgnored = "requests_ignored"
        /// Snapshots given up because nobody gave them credit.
        case snapshotsAbandoned = "snapshots_abandoned"
        /// Batches that a relay has sent on.
        case forwardedBatches = "forwarded_batches"
        /// Pushed batches that were acknowledged.
        case pushesAcknowledged = "pushes_acknowledged"
        /// Replays served from the ring.
        case replaysServed = "replays_served"
        /// Batches sent again in replays.
        case batchesSentAgain = "batches_sent_again"
        /// Replays asked for of batches that are not held any more.
        case replaysGone = "replays_gone"
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
