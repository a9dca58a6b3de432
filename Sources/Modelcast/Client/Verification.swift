public import ModelRecord
import ModelWire

/// What a comparison of two holders of models has found, for one type.
public struct Verification: Sendable {
    /// One thing in which two holders differ.
    public struct Difference: Hashable, Sendable {
        public let id: String
        public let subject: Subject
        /// What the one and the other holder have.
        public let left: Holding
        public let right: Holding

        /// The field, where a field differs.
        public var field: String? { if case .field(let name) = subject { name } else { nil } }

        /// Both have the field with one version: they must have one value.
        var isOfValuesOnly: Bool {
            guard case .cell(let left) = left, case .cell(let right) = right else { return false }
            return left.version == right.version
        }
    }

    /// What differs of a model.
    public enum Subject: Hashable, Sendable {
        /// One holder has the model and the other has not.
        case model
        /// The version of its last merge or replace, of which nothing else need be left.
        case touched
        /// The version of its last replace or delete. Digests do not count it: it is told of models near which
        /// something else differs.
        case floor
        case field(String)
    }

    /// What a holder has of it.
    public enum Holding: Hashable, Sendable {
        /// Nothing: the field or model is unknown there.
        case nothing
        /// The model, last touched by this version.
        case model(touched: Version?)
        case version(Version)
        case cell(Cell)

        /// The value, where it is a field's.
        public var value: Value? { if case .cell(let cell) = self { cell.value } else { nil } }
    }

    /// How the comparison of a type ended.
    public enum Outcome: Sendable {
        /// Both hold the same models with the same fields of the same versions, at the same heads; where values were
        /// compared, with the same values.
        case equal(digest: UInt64)
        /// At the same heads they differ, in these fields.
        case different([Difference])
        /// They never stood at the same heads within the time: what the one had applied, and the other.
        case apart(left: String, right: String)

        var isEqual: Bool { if case .equal = self { true } else { false } }

        var isApart: Bool { if case .apart = self { true } else { false } }
    }

    public let type: String
    public let outcome: Outcome

    /// Both hold the same.
    public var isEqual: Bool { outcome.isEqual }
}

extension Verification {
    /// What a holder has applied of a type, comparable between holders.
    struct Position: Hashable {
        private let sequences: [String: [Topic: UInt64]]
        private let incarnations: [String: UInt64]

        init(_ heads: [Heads], type: String) {
            var sequences: [String: [Topic: UInt64]] = [:]
            var incarnations: [String: UInt64] = [:]
            for told in heads {
                for head in told.heads where head.topic.type == type && head.sequence > 0 {
                    sequences[told.origin, default: [:]][head.topic] = head.sequence
                    incarnations[told.origin] = told.incarnation
                }
            }
            self.sequences = sequences
            self.incarnations = incarnations
        }

        /// Of whatever both tell they tell the same.
        func agrees(with other: Position) -> Bool {
            sequences.allSatisfy { origin, topics in
                guard let others = other.sequences[origin] else { return true }
                return incarnations[origin] == other.incarnations[origin]
                    && topics.allSatisfy { topic, sequence in (others[topic] ?? sequence) == sequence }
            }
        }

        /// So many origins are named.
        private static let namedCount = 16

        /// For a person: each origin, its incarnation, and how many batches of it.
        var text: String {
            guard !sequences.isEmpty else { return "nothing" }
            let origins = sequences.sorted { $0.key < $1.key }
                .prefix(Position.namedCount)
                .map { origin, topics in
                    "\(topics.values.reduce(0, &+)) batches of \(origin) (incarnation \(incarnations[origin] ?? 0))"
                }
            let more = sequences.count - origins.count
            return (origins + (more > 0 ? ["\(more) origins more"] : [])).joined(separator: ", ")
        }
    }

    /// In what two records of one id differ; versions count.
    static func differences(_ id: String, _ left: CellRecord?, _ right: CellRecord?) -> [Difference] {
        let left = left.flatMap { $0.exists ? $0 : nil }
        let right = right.flatMap { $0.exists ? $0 : nil }
        guard let left, let right else {
            guard left != nil || right != nil else { return [] }
            return [Difference(id: id, subject: .model, left: holding(left), right: holding(right))]
        }
        var differences: [Difference] = []
        for (subject, one, other) in [
            (Subject.touched, left.touched, right.touched), (.floor, left.floor, right.floor),
        ] where one != other {
            differences.append(Difference(id: id, subject: subject, left: holding(one), right: holding(other)))
        }
        let (mine, theirs) = (cells(left), cells(right))
        let fields = Set(mine.keys).union(theirs.keys).sorted()
        for field in fields where mine[field] != theirs[field] {
            differences.append(
                Difference(
                    id: id, subject: .field(field), left: holding(mine[field]), right: holding(theirs[field])))
        }
        return differences
    }

    private static func holding(_ record: CellRecord?) -> Holding {
        record.map { .model(touched: $0.touched) } ?? .nothing
    }

    private static func holding(_ version: Version?) -> Holding { version.map { .version($0) } ?? .nothing }

    private static func holding(_ cell: Cell?) -> Holding { cell.map { .cell($0) } ?? .nothing }

    private static func cells(_ record: CellRecord) -> [String: Cell] {
        Dictionary(record.cells.map { ($0.field, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
