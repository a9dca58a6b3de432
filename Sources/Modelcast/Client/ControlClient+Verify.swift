import ModelRecord
import ModelSync
import ModelWire

extension ControlClient {
    /// Compares what this holder and `other` have, type by type, each at a moment when both have applied the same
    /// batches.
    ///
    /// Digests are compared first, as the greetings of both tell them. Where they differ, the ranges of ids that differ
    /// are found, and only their records are fetched. So the comparison of equal copies costs a few kilobytes, however
    /// large they are, and thousands of types take no longer than one. A type that only one holder has is known from
    /// the greetings, too.
    ///
    /// A model that has left the copy of one holder for its limits, or that a lazy one does not hold, is no difference:
    /// the holder is asked which of those that it lacks these are.
    ///
    /// Digests cover versions, not values. With `comparingValues` all records of types with equal digests are fetched
    /// from both, and the values of each version are compared. That costs the transfer of everything, twice, and the
    /// memory for one side's largest type.
    /// - Parameters:
    ///   - other: the holder to compare with.
    ///   - patience: how long to wait, for all types together, until both have the same heads. After that a comparison
    ///     that has begun is finished, and no other begins: those types are ``Verification/Verdict/uncompared``. A
    ///     holder answers 64 questions a second of one client, after the first 256.
    ///   - comparingValues: also compare values.
    /// - Returns: one verification for each type that either holder has, by name.
    /// - Throws: ``ModelcastError`` when a holder does not answer.
    public func verify(
        against other: ControlClient, patience: Duration = .seconds(10), comparingValues: Bool = false
    ) async throws -> [Verification] {
        let (left, right) = (self, other)
        return try await SocketThread.run(named: "modelcast-verify") { cancellation in
            var comparison = HolderComparison(
                left: try ControlConnection(client: left, cancellation),
                right: try ControlConnection(client: right, cancellation),
                deadline: Clocks.now().uptimeMicroseconds + patience.wholeMicroseconds,
                comparesValues: comparingValues)
            return try comparison.run()
        }
    }
}

/// A comparison under way: one connection to each of two holders.
private struct HolderComparison: ~Copyable {
    var left: ControlConnection
    var right: ControlConnection
    /// The time until which both may reach the same heads, and comparisons may begin, for all types together.
    let deadline: UInt64
    let comparesValues: Bool

    /// Digests are compared in 2⁸ ranges: the 256 buckets that a snapshot can be asked for.
    private static let bits = 8
    /// The pause before both are asked again.
    private static let pause = Duration.milliseconds(20)
    /// The greatest number of rounds in which differing records are fetched again. A difference counts when two rounds
    /// find the same.
    private static let roundMax = 50

    mutating func run() throws -> [Verification] {
        var (mine, theirs) = (try left.hello(), try right.hello())
        var verdicts: [String: Verification.Verdict] = [:]
        var waiting = Set(mine.types).union(theirs.types).sorted()
        while true {
            let (told, others) = (ToldState(mine), ToldState(theirs))
            for type in waiting {
                // The greetings cost nothing more, so what they tell counts also when the time is up.
                if let verdict = told.verdict(on: type, against: others) {
                    verdicts[type] = verdict
                } else if let verdict = try compareInTime(type) {
                    verdicts[type] = verdict
                } else if verdicts[type] == nil {
                    verdicts[type] = .uncompared
                }
            }
            waiting.removeAll { verdicts[$0]?.isFinal ?? false }
            guard !waiting.isEmpty, isInTime else { break }
            try left.pause(HolderComparison.pause)
            (mine, theirs) = (try left.helloAgain(), try right.helloAgain())
        }
        if comparesValues {
            for (type, verdict) in verdicts.sorted(by: { $0.key < $1.key }) where verdict.isEqual {
                guard isInTime else {
                    verdicts[type] = .uncompared
                    continue
                }
                let found = try differingValues(type)
                if !found.isEmpty { verdicts[type] = .different(found) }
            }
        }
        return verdicts.sorted { $0.key < $1.key }.map { Verification(type: $0.key, verdict: $0.value) }
    }

    private var isInTime: Bool { Clocks.now().uptimeMicroseconds < deadline }

    /// Compares once, if there is time to begin; nil where there is none, or a holder was busy until it was over.
    private mutating func compareInTime(_ type: String) throws -> Verification.Verdict? {
        guard isInTime else { return nil }
        do {
            return try compare(type)
        } catch let error as ModelcastError where error.code == .busy && !isInTime {
            return nil
        }
    }

    /// Compares once, if both have the same heads now.
    private mutating func compare(_ type: String) throws -> Verification.Verdict {
        var before: Findings?
        for _ in 0..<HolderComparison.roundMax {
            let mine = try left.digests(of: type, bits: HolderComparison.bits)
            let theirs = try right.digests(of: type, bits: HolderComparison.bits)
            let positions = (
                Verification.Position(mine.heads, type: type), Verification.Position(theirs.heads, type: type)
            )
            let buckets = mine.digests.indices.filter { mine.digests[$0] != theirs.digests[$0] }
            // A holder that follows very many origins does not tell all of their heads.
            if buckets.isEmpty, positions.0.agrees(with: positions.1) { return .equal(digest: mine.total) }
            guard positions.0 == positions.1 else {
                return .apart(left: positions.0.text, right: positions.1.text)
            }
            // More may have been applied between the digests and the records. A real difference stays in the next
            // round.
            let now = try findings(type, buckets)
            if let before, !now.differences.isEmpty, now == before { return try conclude(type, now, apart: buckets) }
            before = now
        }
        return .different(before?.differences ?? [])
    }

    /// Judges what two rounds have found: a model that has left a copy for its limits is no difference.
    private mutating func conclude(
        _ type: String, _ found: Findings, apart buckets: [Int]
    ) throws -> Verification.Verdict {
        var evicted = Set(try left.lookUp(type, found.idsLacking(\.left)).evicted.lazy.map(ExactText.init))
        evicted.formUnion(try right.lookUp(type, found.idsLacking(\.right)).evicted.lazy.map(ExactText.init))
        let rest = found.differences.filter { !evicted.contains(ExactText($0.id)) }
        guard rest.isEmpty, !evicted.isEmpty else { return .different(rest) }
        let others = (0..<1 << HolderComparison.bits).filter { !buckets.contains($0) }
        let same = try others.isEmpty ? [:] : left.records(HolderComparison.topics(type, others))
        let count = found.commonCount + same.values.count(where: \.exists)
        return .equalWhereHeld(models: count, evicted: evicted.count)
    }

    /// The fields that have one version and two values. Fields with two versions are left out: more may have been
    /// applied meanwhile, and digests find real differences of that kind.
    private mutating func differingValues(_ type: String) throws -> [Verification.Difference] {
        let mine = try left.records([.data(type: type)])
        var found: [Verification.Difference] = []
        try right.snapshot([.data(type: type)]) { _, records in
            for record in records {
                guard let other = mine[ExactText(record.id)] else { continue }
                found += Verification.differences(record.id, other, record).filter(\.isOfValuesOnly)
            }
        }
        return found.sorted { ($0.id, $0.field ?? "") < ($1.id, $1.field ?? "") }
    }

    private mutating func findings(_ type: String, _ buckets: [Int]) throws -> Findings {
        let prefixes = HolderComparison.topics(type, buckets)
        let mine = try left.records(prefixes)
        let theirs = try right.records(prefixes)
        return Findings(
            differences: Set(mine.keys).union(theirs.keys).sorted()
                .flatMap { Verification.differences($0.text, mine[$0], theirs[$0]) },
            commonCount: mine.count { id, record in record.exists && theirs[id]?.exists ?? false })
    }

    private static func topics(_ type: String, _ buckets: [Int]) -> [Topic] {
        buckets.map { Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: $0) }
    }
}

/// The differences that one round has found, in the buckets whose digests differ.
private struct Findings: Equatable {
    let differences: [Verification.Difference]
    /// How many models both holders have.
    let commonCount: Int

    /// The ids of the models that one side has and the other has not.
    func idsLacking(_ side: KeyPath<Verification.Difference, Verification.Holding>) -> [String] {
        differences.filter { $0.subject == .model && $0[keyPath: side] == .nothing }.map(\.id)
    }
}

/// The digests and heads of all types that one greeting tells.
private struct ToldState {
    private var digests: [String: UInt64] = [:]
    private var heads: [String: [Heads]] = [:]
    /// The types that the greeting names.
    private let types: Set<String>
    /// The greeting names all types up to this one, by name; nil where it names all.
    private let lastType: String?

    init(_ welcome: ControlClient.Welcome) {
        types = Set(welcome.types)
        lastType = welcome.namesAllTypes ? nil : welcome.heldTypes.last ?? ""
        for told in welcome.heads {
            for head in told.heads {
                guard let type = head.topic.type else { continue }
                // The digest of a part of a type says nothing of the others.
                if head.topic == .data(type: type), let digest = head.digest { digests[type] = digest }
                var single = told
                single.heads = [head]
                self.heads[type, default: []].append(single)
            }
        }
    }

    /// The verdict on a type, if the two greetings suffice for one; nil where both have to be asked.
    func verdict(on type: String, against other: ToldState) -> Verification.Verdict? {
        let (mine, theirs) = (position(type), other.position(type))
        if mine.agrees(with: theirs) {
            guard let digest = digest(of: type), let otherDigest = other.digest(of: type) else { return nil }
            if digest == otherDigest { return .equal(digest: digest) }
            // The same batches make the same copies: which models differ has to be asked.
            if mine == theirs { return nil }
        }
        return .apart(left: mine.text, right: theirs.text)
    }

    /// The digest of the holder's copy of a type; nil where it is not told. A type that is in no head, and of which the
    /// holder has no model, has the digest of nothing.
    private func digest(of type: String) -> UInt64? {
        if let digest = digests[type] { return digest }
        guard !types.contains(type), lastType.map({ type <= $0 }) ?? true else { return nil }
        return 0
    }

    private func position(_ type: String) -> Verification.Position {
        Verification.Position(heads[type] ?? [], type: type)
    }
}
