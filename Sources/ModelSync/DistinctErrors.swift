import ModelRecord

/// The errors of peers since the start, each kind of each peer once. Of too many, the one that has not happened for
/// longest gives way: nobody fills memory with errors, and one peer fills no more than its kinds.
public struct DistinctErrors: Sendable {
    private struct Key: Hashable {
        let kind: String
        let peer: String
    }

    /// The clock of the machine as it was passed last, in milliseconds since 1970.
    var clock: UInt64 = 0
    private var errors: [Key: DistinctError] = [:]
    /// How many gave way.
    public private(set) var forgottenCount: UInt64 = 0

    /// How many are kept.
    public static let countMax = 256
    private static let exampleLengthMax = 300

    init() {}

    /// Notes an error.
    mutating func note(_ kind: String, of peer: String, _ example: String, count: UInt64 = 1) {
        let key = Key(kind: kind, peer: peer)
        if errors[key] == nil, errors.count >= DistinctErrors.countMax,
            let oldest = errors.min(by: { $0.value.lastMilliseconds < $1.value.lastMilliseconds })
        {
            errors[oldest.key] = nil
            forgottenCount += 1
        }
        var error =
            errors[key]
            ?? DistinctError(kind: kind, peer: peer, firstMilliseconds: clock, lastMilliseconds: clock, example: "")
        error.count += count
        error.lastMilliseconds = max(error.lastMilliseconds, clock)
        error.example = String(example.prefix(DistinctErrors.exampleLengthMax)).shown()
        errors[key] = error
    }

    /// The errors, the last one first.
    public var all: [DistinctError] {
        errors.values.sorted { ($0.lastMilliseconds, $0.kind, $0.peer) > ($1.lastMilliseconds, $1.kind, $1.peer) }
    }
}
