public import ModelRecord

/// Collects the fields that are in the way of a model. For generated code.
public struct FieldProblems {
    /// The problems, in the order in which they were found.
    public private(set) var all: [FieldProblem] = []

    /// No problems.
    @inlinable public init() {}

    @usableFromInline mutating func note(_ problem: FieldProblem?) {
        if let problem { all.append(problem) }
    }
}

extension FieldState {
    /// Notes the problem of the field of a property that is never nil. For generated code.
    /// - Parameters:
    ///   - name: the field's name on the wire.
    ///   - problems: where it is noted.
    @inlinable public func require(_ name: String, _ problems: inout FieldProblems) {
        if case .value = self { return }
        problems.note(problem(FieldName(name)))
    }

    /// Notes the problem of the field of a property that may be nil, or has a default: only a faulty field is in the
    /// way. For generated code.
    /// - Parameters:
    ///   - name: the field's name on the wire.
    ///   - problems: where it is noted.
    @inlinable public func allow(_ name: String, _ problems: inout FieldProblems) {
        if case .faulty = self { problems.note(optionalProblem(FieldName(name))) }
    }
}
