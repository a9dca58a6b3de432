public import ModelRecord

/// A condition on a model, without which a transaction does not happen: see ``Writes/require(_:_:_:)``.
public enum Precondition: Hashable, Sendable {
    /// The model exists.
    case exists
    /// The model does not exist.
    case isAbsent
    /// The model is in one of these states, as `CellRecord.revision` names them.
    case isAt([Revision])

    func isMet(by record: CellRecord?) -> Bool {
        let present = record?.ifPresent
        return switch self {
        case .exists: present != nil
        case .isAbsent: present == nil
        case .isAt(let revisions): present.map { revisions.contains($0.revision) } ?? false
        }
    }
}
