public import ModelRecord
import ModelWire

/// The result of a comparison of two holders, for one type.
public struct Verification: Sendable {
    /// One model or field in which two holders differ.
    public struct Difference: Hashable, Sendable {
        /// The id of the model.
        public let id: String
        /// The part of the model that differs.
        public let subject: Subject
        /// The state at the left holder, the one that was asked to compare.
        public let left: Holding
        /// The state at the right holder, the one that it was compared with.
        public let right: Holding

        /// The name of the field; nil where something else than a field differs.
        public var field: String? { if case .field(let name) = subject { name } else { nil } }

        /// Both holders have the field with one version, so it should have one value.
        var isOfValuesOnly: Bool {
            guard case .cell(let left) = left, case .cell(let right) = right else { return false }
            return left.version == right.version
        }
    }

    /// The part of a model that differs.
    public enum Subject: Hashable, Sendable {
        /// One holder has the model and the other has not.
        case model
        /// The version of the last merge or replace of the model, of which no field need be left.
        case touched
        /// The version of the last replace or delete of the model. Digests do not cover it, so it is reported only for
        /// models in buckets in which something else differs.
        case floor
        /// The field with this name.
        case field(String)
    }

    /// The state of one holder in the part that differs.
    public enum Holding: Hashable, Sendable {
        /// The holder does not know the field or model.
        case nothing
        /// The holder has the model, last touched by this version.
        case model(touched: Version?)
        /// The holder has this version.
        case version(Version)
        /// The holder has the field with this version and value.
        case cell(Cell)

        /// The value of the field; nil where the part is not a field.
        public var value: Value? { if case .cell(let cell) = self { cell.value } else { nil } }
    }

    /// The verdict on one type.
    public enum Verdict: Sendable {
        /// Both hold the same models with the same versions of the same fields, at the same heads. Where values were
        /// compared, they are equal, too.
        case equal(digest: UInt64)
        /// The copy holds so many models of the type, each as the sender holds it; of two holders, so many are in both.
        /// So many others have left a copy for its limits, or were never in it as it is lazy, and were not compared.
        case equalWhereHeld(models: Int, evicted: Int)
        /// At the same heads the holders differ in these parts.
        case different([Difference])
        /// The holders never had the same heads within the time. The texts say what each of them had applied.
        case apart(left: String, right: String)
        /// The time was up before the type was compared.
        case uncompared

        /// Another look at both holders changes nothing.
        var isFinal: Bool {
            switch self {
            case .equal, .equalWhereHeld, .different: true
            case .apart, .uncompared: false
            }
        }

        var isEqual: Bool {
            switch self {
            case .equal, .equalWhereHeld: true
            case .different, .apart, .uncompared: false
            }
        }

        var isApart: Bool { if case .apart = self { true } else { false } }
    }

    /// The name of the type.
    public let type: String
    /// The verdict on the type.
    public let verdict: Verdict

    /// Both hold the same; of a copy with limits, what it holds.
    public var isEqual: Bool { verdict.isEqual }
}

extension Verification {
    /// The batches of a type that a holder has applied, comparable between holders.
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

        /// The two positions are equal for every origin and topic that both of them have.
        func agrees(with other: Position) -> Bool {
            sequences.allSatisfy { origin, topics in
                guard let others = other.sequences[origin] else { return true }
                return incarnations[origin] == other.incarnations[origin]
                    && topics.allSatisfy { topic, sequence in (others[topic] ?? sequence) == sequence }
            }
        }

        /// The number of origins that ``text`` names.
        private static let namedCount = 16

        /// A text for a person: each origin, its incarnation, and the number of its batches.
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

    /// The parts in which two records of one id differ. Versions count.
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
                    id: id, subject: .field(field.text), left: holding(mine[field]), right: holding(theirs[field])))
        }
        return differences
    }

    private static func holding(_ record: CellRecord?) -> Holding {
        record.map { .model(touched: $0.touched) } ?? .nothing
    }

    private static func holding(_ version: Version?) -> Holding { version.map { .version($0) } ?? .nothing }

    private static func holding(_ cell: Cell?) -> Holding { cell.map { .cell($0) } ?? .nothing }

    private static func cells(_ record: CellRecord) -> [ExactText: Cell] {
        Dictionary(record.cells.map { (ExactText($0.field), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
