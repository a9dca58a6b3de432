public import ModelRecord
import ModelWire

/// What a comparison of two holders of models has found, for one type.
public struct Verification: Sendable {
    /// One field in which two holders differ.
    public struct Difference: Hashable, Sendable {
        public let id: String
        /// The field; nil where one holder has the model and the other has not.
        public let field: String?
        /// What the one and the other holder have; nil for a field or model that is unknown there.
        public let left: Cell?
        public let right: Cell?
    }

    /// How the comparison of a type ended.
    public enum Outcome: Sendable {
        /// Both hold the same models with the same fields of the same versions, at the same heads.
        case equal(digest: UInt64)
        /// At the same heads they differ, in these fields.
        case different([Difference])
        /// They never stood at the same heads within the time: what the one had applied, and the other.
        case apart(left: String, right: String)
    }

    public let type: String
    public let outcome: Outcome

    /// Both hold the same.
    public var isEqual: Bool { if case .equal = outcome { true } else { false } }
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

        /// For a person: each origin, its incarnation, and how many batches of it.
        var text: String {
            guard !sequences.isEmpty else { return "nothing" }
            return sequences.sorted { $0.key < $1.key }
                .map { origin, topics in
                    "\(topics.values.reduce(0, &+)) batches of \(origin) (incarnation \(incarnations[origin] ?? 0))"
                }
                .joined(separator: ", ")
        }
    }

    /// The fields in which two records of one id differ; versions count.
    static func differences(_ id: String, _ left: Record?, _ right: Record?) -> [Difference] {
        let left = left.flatMap { $0.exists ? $0 : nil }
        let right = right.flatMap { $0.exists ? $0 : nil }
        guard let left, let right else {
            return left == nil && right == nil ? [] : [Difference(id: id, field: nil, left: nil, right: nil)]
        }
        let (mine, theirs) = (cells(left), cells(right))
        let fields = Set(mine.keys).union(theirs.keys).sorted()
        return fields.compactMap { field in
            let (one, other) = (mine[field], theirs[field])
            return one == other ? nil : Difference(id: id, field: field, left: one, right: other)
        }
    }

    private static func cells(_ record: Record) -> [String: Cell] {
        Dictionary(record.cells.map { ($0.field, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
