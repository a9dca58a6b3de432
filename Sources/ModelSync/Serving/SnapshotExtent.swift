/// How much of what it selects an answer to a request for a snapshot has.
enum SnapshotExtent: Sendable {
    /// All records. So many messages may come before more are asked for.
    case records(credit: Int)
    /// All records without their fields.
    case ids(credit: Int)
    /// The heads at its end alone.
    case heads

    /// How many messages with records may come at first.
    var credit: Int {
        switch self {
        case .records(let credit), .ids(let credit): credit
        case .heads: 0
        }
    }

    /// The records have their fields.
    var hasFields: Bool { if case .records = self { true } else { false } }
}
