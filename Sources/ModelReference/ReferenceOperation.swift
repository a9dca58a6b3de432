/// The effect of an update on a model.
public enum ReferenceOperation: UInt64, CaseIterable, Hashable, Sendable {
    case merge, replace, delete
}
