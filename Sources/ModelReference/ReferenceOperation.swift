/// What an update does to a model.
public enum ReferenceOperation: UInt64, CaseIterable, Hashable, Sendable {
    case merge, replace, delete
}
