/// The counts of a state machine since it started, by the names used in logs, metrics and reports.
public struct Counters: Sendable {
    /// The name of a counter. The raw value is its index.
    public enum Name: Int, CaseIterable, Sendable {
        /// Frames that were not of this protocol, or broken, and were dropped.
        case malformedFrames
        /// Frames, operations or methods of a kind that this version does not know.
        case unknownKinds
        /// Batches whose stamp lay too far ahead of the wall clock.
        case clockRejectedBatches
        /// Heads of a start that lay too far ahead of the wall clock.
        case clockRejectedHeads
        /// Records of a snapshot whose stamps lay too far ahead.
        case clockRejectedRecords
        /// Batches that had been applied before.
        case duplicateBatches
        /// Batches applied.
        case appliedBatches
        /// Updates applied that changed the state.
        case appliedUpdates
        /// Updates that changed nothing.
        case unchangedUpdates
        /// Updates refused alone, while the rest of their batch was applied.
        case refusedUpdates
        /// Cells with one version and two values.
        case conflictingCells
        /// Cells left out because their model had too many, and updates that would have made it too large for memory.
        case droppedCells
        /// Repairs begun.
        case holesFound
        /// Holes that the missing batch filled by itself.
        case holesFilled
        /// Holes mended by a replay of what was missing.
        case holesMendedByReplay
        /// Holes mended by a snapshot.
        case holesMendedBySnapshot
        /// Holes mended by a snapshot because a batch stayed malformed.
        case holesMendedByQuarantine
        /// Differences mended by taking the buckets that differ.
        case holesMendedByBuckets
        /// Differences and absences mended by building the state anew.
        case holesMendedAnew
        /// Repairs and audits that were ended by something that takes in more.
        case holesSuperseded
        /// Replays asked for.
        case replaysRequested
        /// Batches that came by replay.
        case replayedBatches
        /// Replies that carried what was not asked for.
        case unaskedReplies
        /// Requests of repairs that were not answered in time.
        case repairTimeouts
        /// Batches that stayed malformed when they were sent again, and were left out.
        case quarantinedBatches
        /// Digests asked for, to narrow a difference down.
        case digestAudits
        /// Models that this publisher has deleted because their time was over.
        case modelsExpired
        /// Models that were withdrawn from readers because their leases had ended.
        case leasesEnded
        /// Models that were given back to readers because their publishers were heard of again.
        case leasesReturned
        /// Deleted models that were forgotten, as their retention was over.
        case tombstonesDropped
        /// Times the state was built anew beside the old one.
        case renewals
        /// Batches of an older incarnation that were older than deleted models are remembered.
        case expiredBatches
        /// Digests that still differed when the sender's copy had been joined.
        case irreparableDifferences
        /// Buckets taken from a sender because their digests differed.
        case bucketsFetched
        /// Snapshots too large to become visible in one step.
        case unstagedSnapshots
        /// Streams, origins and types that were not followed, as there were too many.
        case refusedStreams
        /// Names that were forgotten, as nothing was heard of them for long and there were many.
        case forgottenNames
        /// Claims of senders on other origins, and of stores on their streams, that were contradicted.
        case contradictedHeads
        /// Streams and starts that were not followed at once because their sender had told of too many.
        case postponedStreams
        /// Requests of repairs that waited because their sender had caused too many.
        case postponedRequests
        /// Differing digests at equal heads.
        case digestMismatches
        /// Records that came in snapshots.
        case snapshotRecords
        /// Snapshots asked for.
        case snapshotsRequested
        /// Snapshots served.
        case snapshotsServed
        /// Fields that were not sent because not even one alone fits into a message.
        case unsendableFields
        /// New incarnations met.
        case newIncarnations
        /// Batches of an incarnation that is not the greatest, and heads that tell one of a stream.
        case olderIncarnationBatches
        /// Times a sender was found silent.
        case senderTimeouts
        /// Requests that were answered with an error.
        case errorsReceived
        /// Batches handed out for sending.
        case publishedBatches
        /// Transactions over several topics of which a part did not come in time.
        case incompleteGroups
        /// Two incarnations of one origin that send in turns: two processes with one name.
        case incarnationConflicts
        /// Batches that were pushed here and merged.
        case pushedBatches
        /// Clients that were not let in, as they have no key that is allowed.
        case refusedClients
        /// Batches, heads and records dropped because the key of their sender was not granted to bring them.
        case deniedMessages
        /// Batches dropped because their type has to be signed, and they were not, or with a key that is not granted.
        case unsignedBatches
        /// Batches, and signed heads, dropped because their signature is not that of their content.
        case forgedBatches
        /// Parts of the copy that were not what their origin had signed, for longer than a minute; each time again.
        case signedDifferences
        /// Connections closed because their peers took nothing, and held memory that others needed.
        case cutClients
        /// Requests refused.
        case requestsRefused
        /// Requests refused because the peer has used up its budget, or too much is under way.
        case requestsBusy
        /// Requests refused because they are past a limit, or their batch is not the next.
        case requestsLimit
        /// Requests refused because they cannot be read, or ask for what cannot be.
        case requestsMalformed
        /// Requests refused because they belong elsewhere, or the peer may not make them.
        case requestsDenied
        /// Requests refused because the other side speaks another version.
        case requestsVersion
        /// Requests refused because nothing is known of the origin.
        case requestsUnknownOrigin
        /// Requests refused because nothing is known of the topic.
        case requestsUnknownTopic
        /// Requests refused because something went wrong here.
        case requestsInternal
        /// Requests that were not even answered with an error, because the peer has been told too many.
        case requestsIgnored
        /// Snapshots given up because their peer gave no credit, or took nothing.
        case snapshotsAbandoned
        /// Batches that a relay has sent on.
        case forwardedBatches
        /// Pushed batches that were acknowledged.
        case pushesAcknowledged
        /// Replays served from the ring.
        case replaysServed
        /// Batches sent again in replays.
        case batchesSentAgain
        /// Replays asked for of batches that are not held any more.
        case replaysGone
        /// Models that have left the copy for its limits.
        case modelsEvicted
        /// Requests for models that had been evicted, or that are compared.
        case fetchesRequested
        /// Evicted models that were brought back.
        case modelsFetched
        /// Times a publisher started anew because its stamps lay ahead of its clock and others refused them.
        case clockRenewals

        /// The name in logs, metrics and reports: that of the case, in words.
        public var label: String { Name.labels[rawValue] }

        private static let labels = allCases.map { name in
            String("\(name)".flatMap { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" })
        }
    }

    private var values = [UInt64](repeating: 0, count: Name.allCases.count)

    /// All counters at zero.
    public init() {}

    /// The value of one counter.
    /// - Complexity: O(1), an index.
    public subscript(name: Name) -> UInt64 {
        get { values[name.rawValue] }
        set { values[name.rawValue] = newValue }
    }

    /// The counters that are not zero, in the order of ``Name``.
    public var nonZero: [(name: Name, value: UInt64)] {
        Name.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 }
    }
}
