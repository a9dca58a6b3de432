import ModelCache
import ModelRecord
import ModelSync
import ModelWire

extension ControlClient {
    /// Compares a copy of this process with what this holder has, type by type.
    ///
    /// Both go on meanwhile, so a difference counts when several looks at both, a while apart, find it unchanged.
    /// - Parameters:
    ///   - copy: the copy of this process.
    ///   - selection: the types that the copy has.
    ///   - streams: the streams that the copy follows: a holder that does not send all origins of a type cannot be
    ///     compared with a copy that has them all.
    ///   - patience: how long to wait, for all types together, until one look finds both equal.
    /// - Returns: one verification for each type that the holder has, by name; the left side is the copy.
    func verify(
        _ copy: ModelCache, _ selection: SubscriberConfiguration.Selection, _ streams: [StreamStatus],
        patience: Duration
    ) async throws -> [Verification] {
        var origins: [String: Set<String>] = [:]
        for stream in streams where stream.applied > 0 {
            if let type = stream.topic.type { origins[type, default: []].insert(stream.origin) }
        }
        let (client, known) = (self, origins)
        return try await SocketThread.run(named: "modelcast-verify") { cancellation in
            var comparison = CopyComparison(
                copy: copy, selection: selection, origins: known,
                holder: try ControlConnection(client: client, cancellation),
                deadline: Clocks.now().uptimeMicroseconds + patience.wholeMicroseconds)
            return try comparison.run()
        }
    }
}

/// A comparison under way: the copy of this process, and one connection to another holder.
private struct CopyComparison: ~Copyable {
    let copy: ModelCache
    let selection: SubscriberConfiguration.Selection
    /// The origins of each type that the copy has models of.
    let origins: [String: Set<String>]
    var holder: ControlConnection
    /// The time until which a look may find both equal, for all types together.
    let deadline: UInt64

    /// Digests are compared in 2⁸ ranges: the 256 buckets that a snapshot can be asked for.
    private static let bits = 8
    /// The pause between two looks at both: longer than an update takes from a holder to a copy that works.
    private static let pause = Duration.milliseconds(250)
    /// How many looks have to find a difference unchanged.
    private static let lookCount = 4
    /// How many buckets are fetched at once, and after how many differences no more are: copies of millions of models
    /// may have nothing in common.
    private static let (partCount, differenceCountMax) = (16, 10_000)

    /// The findings of the looks at a type so far.
    private struct Finding {
        /// The differences that each of the last looks has found.
        var differences: Set<Verification.Difference> = []
        /// How many looks have found them.
        var lookCount = 0
    }

    mutating func run() throws -> [Verification] {
        let welcome = try holder.hello()
        var verdicts: [String: Verification.Verdict] = [:]
        var waiting: [String: Finding] = [:]
        for type in welcome.types where selection.contains(type) {
            let others = origins[type, default: []].subtracting(CopyComparison.origins(of: type, welcome.heads))
            if others.isEmpty {
                waiting[type] = Finding()
            } else {
                verdicts[type] = CopyComparison.incomparable(others, welcome.name)
            }
        }
        while true {
            for (type, finding) in waiting {
                let (verdict, next) = try look(type, finding)
                verdicts[type] = verdict
                waiting[type] = next
            }
            guard !waiting.isEmpty, Clocks.now().uptimeMicroseconds < deadline else { break }
            try holder.pause(CopyComparison.pause)
        }
        return verdicts.sorted { $0.key < $1.key }.map { Verification(type: $0.key, verdict: $0.value) }
    }

    /// Looks at both sides of a type once.
    /// - Returns: the verdict so far, and what was found; nil where no further look is needed.
    private mutating func look(
        _ type: String, _ found: Finding
    ) throws -> (Verification.Verdict, Finding?) {
        if copy.hasEvicted(type) { return try lookAtHeld(type, found) }
        let theirs = try holder.digests(of: type, bits: CopyComparison.bits)
        let mine = copy.bucketDigests(of: type)
        let buckets = mine.indices.filter { mine[$0] != theirs.digests[$0] }
        guard !buckets.isEmpty else { return (.equal(digest: theirs.total), nil) }
        return conclude(try differences(type, buckets), found)
    }

    /// Looks at the models of a type of which others have left the copy: digests of all would tell nothing.
    private mutating func lookAtHeld(
        _ type: String, _ found: Finding
    ) throws -> (Verification.Verdict, Finding?) {
        var held: [ExactText: CellRecord] = [:]
        copy.snapshot().forEach(type: type) { record in
            held[ExactText(record.id)] = record
            return true
        }
        var theirs: [ExactText: CellRecord] = [:]
        for record in try holder.lookUp(type, held.keys.map(\.text)).records { theirs[ExactText(record.id)] = record }
        var differences: Set<Verification.Difference> = []
        for (id, record) in held {
            differences.formUnion(Verification.differences(id.text, record, theirs[id]))
            if differences.count > CopyComparison.differenceCountMax { break }
        }
        guard !differences.isEmpty else {
            return (.equalWhereHeld(models: held.count, evicted: copy.evictedCount(of: type)), nil)
        }
        return conclude(differences, found)
    }

    /// Judges the differences that a look has found after others.
    private func conclude(
        _ differences: Set<Verification.Difference>, _ found: Finding
    ) -> (Verification.Verdict, Finding?) {
        var differences = differences
        if found.lookCount > 0 { differences.formIntersection(found.differences) }
        // Where all that differed has changed since, the next differences begin anew.
        let next = Finding(differences: differences, lookCount: differences.isEmpty ? 0 : found.lookCount + 1)
        guard next.lookCount == CopyComparison.lookCount else {
            return (.apart(left: CopyComparison.moving, right: CopyComparison.moving), next)
        }
        return (.different(differences.sorted { ($0.id, $0.field ?? "") < ($1.id, $1.field ?? "") }), nil)
    }

    /// The differences in these buckets, or as many as are enough.
    private mutating func differences(
        _ type: String, _ buckets: [Int]
    ) throws -> Set<Verification.Difference> {
        var found: Set<Verification.Difference> = []
        var rest = buckets[...]
        while !rest.isEmpty, found.count < CopyComparison.differenceCountMax {
            let part = rest.prefix(CopyComparison.partCount)
            rest = rest.dropFirst(part.count)
            let records = try holder.records(
                part.map { Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: $0) })
            found.formUnion(differences(type, Array(part), records))
        }
        return found
    }

    private func differences(
        _ type: String, _ buckets: [Int], _ theirs: [ExactText: CellRecord]
    ) -> Set<Verification.Difference> {
        var theirs = theirs
        var found: Set<Verification.Difference> = []
        let snapshot = copy.snapshot()
        for bucket in buckets {
            snapshot.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
                let id = record.id
                found.formUnion(Verification.differences(id, record, theirs.removeValue(forKey: ExactText(id))))
                return true
            }
        }
        for (id, record) in theirs { found.formUnion(Verification.differences(id.text, nil, record)) }
        return found
    }

    private static let moving = "updates are under way"

    private static func origins(of type: String, _ heads: [Heads]) -> Set<String> {
        Set(heads.filter { $0.heads.contains { $0.topic.type == type } }.map(\.origin))
    }

    private static func incomparable(_ origins: Set<String>, _ holder: String) -> Verification.Verdict {
        let named = origins.sorted().prefix(16).joined(separator: ", ") + (origins.count > 16 ? ", …" : "")
        return .apart(left: "also what \(named) wrote", right: "\(holder) does not send that")
    }
}

extension SubscriberConfiguration.Selection {
    /// Models of the type are selected.
    fileprivate func contains(_ type: String) -> Bool {
        switch self {
        case .everything: true
        case .types(let types): types.contains(type)
        }
    }
}

extension Subscriber {
    /// Compares the copy with what one of the senders holds now. Of two other processes
    /// ``ControlClient/verify(against:patience:comparingValues:)`` compares what they hold.
    ///
    /// Both go on meanwhile. A difference counts when several looks, a quarter of a second apart, find it unchanged;
    /// where something else differs at each look the verdict is ``Verification/Verdict/apart(left:right:)``, as for a
    /// type of which the sender does not send all origins.
    /// - Parameters:
    ///   - index: the sender, by its place in ``SubscriberConfiguration/publishers``.
    ///   - patience: how long to wait, for all types together, until one look finds both equal.
    /// - Returns: one verification for each type that the sender has, by name; the left side is this copy.
    /// - Throws: ``ModelcastError`` when the sender does not answer, and for an index that no sender has.
    public func verify(
        againstSenderAt index: Int, patience: Duration = .seconds(10)
    ) async throws -> [Verification] {
        try await ControlClient(
            senderAt: index, of: configuration.publishers, configuration.security, configuration.transport
        ).verify(cache, configuration.selection, status.streams, patience: patience)
    }
}

extension Relay {
    /// Compares the copy with what one of the senders holds now, as
    /// ``Subscriber/verify(againstSenderAt:patience:)`` does.
    /// - Parameters:
    ///   - index: the sender, by its place in ``RelayConfiguration/publishers``.
    ///   - patience: how long to wait, for all types together, until one look finds both equal.
    /// - Returns: one verification for each type that the sender has, by name; the left side is this copy.
    /// - Throws: ``ModelcastError`` when the sender does not answer, and for an index that no sender has.
    public func verify(
        againstSenderAt index: Int, patience: Duration = .seconds(10)
    ) async throws -> [Verification] {
        try await ControlClient(
            senderAt: index, of: configuration.publishers, configuration.security, configuration.transport
        ).verify(cache, configuration.selection, status.streams, patience: patience)
    }
}

extension ControlClient {
    /// A client of one of the senders of a service.
    fileprivate init(
        senderAt index: Int, of senders: [String], _ security: Security?, _ transport: Transport
    ) throws(ModelcastError) {
        guard senders.indices.contains(index) else {
            throw ModelcastError(.configuration, "there is no sender \(index): they are 0 to \(senders.count - 1)")
        }
        try self.init(endpoint: senders[index], security: security, transport: transport)
    }
}
