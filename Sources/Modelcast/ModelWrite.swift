import ModelCache
import ModelRecord
import ModelTypes

/// A model that is to be written: what travels, and which of it must not differ from what is there.
struct ModelWrite: Sendable {
    let type: String
    let id: String
    let fields: Fields
    /// The fields that never change.
    private let constants: [FieldName]

    init<M: Model>(_ model: M) throws(ModelProblem) {
        try self.init(M.self, model.id) { () throws(FieldProblem) in try model.fields }
    }

    init<P: PartialModel>(_ partial: P) throws(ModelProblem) {
        try self.init(P.Complete.self, partial.id) { () throws(FieldProblem) in try partial.fields }
    }

    init<M: Model>(changesFrom old: M, to new: M) throws {
        guard old.id == new.id else {
            throw ModelcastError(
                .badInput, "the changes from \(old.id) to \(new.id) are none of one \(M.modelType): the id differs")
        }
        try self.init(M.self, new.id) { () throws(FieldProblem) in try new.diff(from: old) }
    }

    private init<M: Model>(
        _ model: M.Type, _ id: M.ID, _ body: () throws(FieldProblem) -> Fields
    ) throws(ModelProblem) {
        type = M.modelType
        self.id = id.idText
        do { fields = try body() } catch { throw ModelProblem(type: type, id: self.id, [error]) }
        constants = M.properties.lazy.filter(\.isConstant).map(\.field)
    }

    var hasConstants: Bool { !constants.isEmpty }

    /// Refuses a constant field that has another value already.
    func requireConstants(in cache: ModelCache) throws(ModelcastError) {
        guard !constants.isEmpty, let record = cache[type, id] else { return }
        for pair in fields.pairs where constants.contains(where: { $0.covers(pair.field) }) {
            guard let old = record[pair.field], !old.isNull, old != pair.value else { continue }
            throw ModelcastError(
                .constant, "\(type) \(id): \(pair.field) is constant; it is \(old) and cannot become \(pair.value)")
        }
    }
}
