public import ModelRecord
public import ModelReference

/// The state of a model as histories of the cache know it. No two writes have one version, so contents have no order.
typealias HistoryModel = ReferenceModel<Version, Value>

extension Value: ReferenceContent {
    public var isRemoval: Bool { self == .undefined }
    public func precedes(_ other: Value) -> Bool { false }
}

extension ReferenceOperation {
    init(_ operation: UpdateOperation) {
        self =
            switch operation {
            case .merge: .merge
            case .replace: .replace
            case .delete: .delete
            }
    }
}
