import ModelRecord

/// One model by the rule of the protocol article, section 2, as plainly as it can be written.
struct ReferenceModel {
    private var floor: Version?
    private var touched: Version?
    private var cells: [String: (value: Value, version: Version)] = [:]

    /// What a reader sees; nil where it does not exist.
    var contents: Contents? {
        guard let touched, floor.map({ touched >= $0 }) ?? true else { return nil }
        return cells.mapValues(\.value).filter { $0.value != .undefined }
    }

    mutating func apply(_ operation: UpdateOperation, _ fields: Contents, at version: Version) {
        if operation != .delete { touched = max(touched ?? version, version) }
        if operation != .merge {
            floor = max(floor ?? version, version)
            cells = cells.filter { cell in floor.map { cell.value.version >= $0 } ?? true }
        }
        if let floor, version < floor { return }
        for (field, value) in fields {
            if let cell = cells[field], cell.version >= version { continue }
            cells[field] = (value, version)
        }
    }
}
