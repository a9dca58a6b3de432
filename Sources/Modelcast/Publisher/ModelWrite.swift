import ModelCache
import ModelRecord
import ModelTypes

/// The write of a model: the fields that travel, and the constant fields that must not differ from the record.
struct ModelWrite: Sendable {
    let type: String
    let id: String
    let fields: Fields
    /// The fields whose values may never change.
    private let constants: [FieldName]
    /// True where a constant field has the same value in a record, which may have it in another form.
    private let isSame: @Sendable (_ field: FieldName, CellRecord) -> Bool

    /// The fields become the only ones.
    private var isWhole = false

    /// - Parameter isWhole: the model's fields become the only ones.
    init<M: Model>(_ model: M, isWhole: Bool = false) throws(ModelcastError) {
        try self.init(model) { () throws(FieldProblem) in try model.fields }
        self.isWhole = isWhole
    }

    init<P: PartialModel>(_ partial: P) throws(ModelcastError) {
        let isSame: @Sendable (FieldName, CellRecord) -> Bool = { _, _ in false }
        try self.init(P.Complete.self, partial.id, isSame: isSame) { () throws(FieldProblem) in try partial.fields }
    }

    init<M: Model>(changesFrom old: M, to new: M) throws(ModelcastError) {
        guard old.id == new.id else {
            throw ModelcastError(
                .badInput, "the changes from \(old.id) to \(new.id) are none of one \(M.modelType): the id differs")
        }
        try self.init(new) { () throws(FieldProblem) in try new.diff(from: old) }
    }

    private init<M: Model>(_ model: M, _ body: () throws(FieldProblem) -> Fields) throws(ModelcastError) {
        let isSame: @Sendable (FieldName, CellRecord) -> Bool = { field, record in
            guard let property = M.properties.first(where: { $0.field == field }),
                case .current(let old) = record.state(of: M.self)
            else { return false }
            return model.isEqual(to: old, at: property.keyPath) ?? false
        }
        try self.init(M.self, model.id, isSame: isSame, body)
    }

    private init<M: Model>(
        _ model: M.Type, _ id: M.ID, isSame: @escaping @Sendable (FieldName, CellRecord) -> Bool,
        _ body: () throws(FieldProblem) -> Fields
    ) throws(ModelcastError) {
        type = M.modelType
        self.id = id.idText
        do { fields = try body() } catch {
            throw ModelcastError(ModelProblem(type: type, id: self.id, [error]))
        }
        constants = M.properties.lazy.filter(\.isConstant).map(\.field)
        self.isSame = isSame
    }

    /// The end or the lease that the write gives the model: what the call says, else a property of the model, else its
    /// type.
    func expiry<M: Model>(_ expires: Expiry?, of type: M.Type) -> Expiry {
        if let expires { return expires }
        let isSaid = [fields.expiry, fields.lease].contains { value in value.map { !$0.isNull } ?? false }
        return isSaid ? .unchanged : M.modelExpiry
    }

    var hasConstants: Bool { !constants.isEmpty }

    /// The pairs of constant fields that this write sets.
    var constantPairs: [Fields.Pair] {
        fields.pairs.filter { pair in constants.contains { $0.covers(pair.field) } }
    }

    /// Refuses the write where a constant field already has another value.
    func requireConstants(in cache: ModelCache) throws(ModelcastError) {
        if hasConstants { try requireConstants(of: cache[type, id]) }
    }

    /// Refuses the write where a constant field already has another value.
    /// - Parameter record: the model before the write.
    func requireConstants(of record: CellRecord?) throws(ModelcastError) {
        guard hasConstants, let record, record.isPresent else { return }
        for pair in constantPairs {
            guard let old = record[pair.field], !old.isNull, old != pair.value,
                !constants.contains(where: { $0.covers(pair.field) && isSame($0, record) })
            else { continue }
            throw refusal(pair.field, old, pair.value)
        }
        try requireAll(of: record.values) { field in constants.contains { $0.covers(field) && isSame($0, record) } }
    }

    /// Refuses a write of all fields that leaves out a constant one with a value.
    /// - Parameters:
    ///   - values: the fields with their values before the write; asked for only where they count.
    ///   - isSame: true for a field whose property has the same value.
    func requireAll(
        of values: @autoclosure () -> [String: Value], isSame: (String) -> Bool = { _ in false }
    ) throws(ModelcastError) {
        guard isWhole else { return }
        for (field, old) in values() where !old.isNull && fields[field] == nil {
            guard constants.contains(where: { $0.covers(field) }), !isSame(field) else { continue }
            throw refusal(field, old, nil)
        }
    }

    /// - Parameter new: the value that the write has; nil where it leaves the field out.
    func refusal(_ field: String, _ old: Value, _ new: Value?) -> ModelcastError {
        let fault = FieldFault(.constant, wanted: "\(old), as before", value: new ?? .undefined)
        let outcome = new.map { "become \($0)" } ?? "be left out: merge the model instead"
        return ModelcastError(
            .constant, "\(type) \(id): \(field) is constant; it is \(old) and cannot \(outcome)",
            ModelProblem(type: type, id: id, [FieldProblem(field, fault)]))
    }
}
