import ModelRecord
import ModelSync
import ModelWire

extension ControlClient {
    /// Compares what this holder and `other` have, type by type, each at a moment when both have applied the same.
    ///
    /// Digests are compared first. Where they differ the ranges of ids that differ are narrowed down and only their
    /// records are fetched, so that the comparison of equal copies costs a few kilobytes, however large they are.
    /// - Parameters:
    ///   - other: the holder to compare with.
    ///   - patience: how long may pass, per type, until both stand at the same heads.
    /// - Returns: one verification for each type that either holder has, by name.
    /// - Throws: ``ModelcastError`` when a holder does not answer.
    public func verify(
        against other: ControlClient, patience: Duration = .seconds(10)
    ) async throws -> [Verification] {
        let (left, right) = (self, other)
        return try await SocketThread.run(named: "modelcast-verify") {
            var comparison = Comparison(
                left: try ControlConnection(client: left), right: try ControlConnection(client: right),
                patience: patience)
            return try comparison.run()
        }
    }
}

/// A comparison under way: one connection to each of two holders.
private struct Comparison: ~Copyable {
    var left: ControlConnection
    var right: ControlConnection
    let patience: Duration

    /// How fine digests are compared: 256 ranges, the buckets that a snapshot can be asked for.
    private static let bits = 8
    /// How long both are left alone before they are asked again.
    private static let pause = Duration.milliseconds(20)
    /// How often records that differ are fetched again: a difference counts when it is the same twice.
    private static let roundMax = 50

    mutating func run() throws -> [Verification] {
        let types = Set(try left.hello().types).union(try right.hello().types)
        var result: [Verification] = []
        for type in types.sorted() { result.append(Verification(type: type, outcome: try compare(type))) }
        return result
    }

    private mutating func compare(_ type: String) throws -> Verification.Outcome {
        var before: [Verification.Difference]?
        for _ in 0..<Comparison.roundMax {
            let (mine, theirs) = try digestsAtEqualHeads(type)
            let positions = (
                Verification.Position(mine.heads, type: type), Verification.Position(theirs.heads, type: type)
            )
            guard positions.0 == positions.1 else {
                return .apart(left: positions.0.text, right: positions.1.text)
            }
            let buckets = mine.digests.indices.filter { mine.digests[$0] != theirs.digests[$0] }
            if buckets.isEmpty { return .equal(digest: mine.total) }
            // Between the digests and the records more may have been applied: what is real stays.
            let now = try differences(type, buckets)
            if let before, !now.isEmpty, now == before { return .different(now) }
            before = now
        }
        return .different(before ?? [])
    }

    /// Asks both until they have applied the same, or patience ends.
    private mutating func digestsAtEqualHeads(
        _ type: String
    ) throws -> (ControlClient.Digests, ControlClient.Digests) {
        let deadline = Clocks.now().uptimeMicroseconds + patience.wholeMicroseconds
        while true {
            let mine = try left.digests(of: type, bits: Comparison.bits)
            let theirs = try right.digests(of: type, bits: Comparison.bits)
            let isEqual =
                Verification.Position(mine.heads, type: type) == Verification.Position(theirs.heads, type: type)
            if isEqual || Clocks.now().uptimeMicroseconds >= deadline { return (mine, theirs) }
            try left.pause(Comparison.pause)
        }
    }

    private mutating func differences(_ type: String, _ buckets: [Int]) throws -> [Verification.Difference] {
        let prefixes = buckets.map { Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: $0) }
        let mine = try Comparison.records(&left, prefixes)
        let theirs = try Comparison.records(&right, prefixes)
        return Set(mine.keys).union(theirs.keys).sorted()
            .flatMap { Verification.differences($0, mine[$0], theirs[$0]) }
    }

    private static func records(
        _ connection: inout ControlConnection, _ prefixes: [Topic]
    ) throws -> [String: Record] {
        var result: [String: Record] = [:]
        try connection.snapshot(prefixes) { _, records in
            for record in records { result[record.id] = record }
        }
        return result
    }
}
