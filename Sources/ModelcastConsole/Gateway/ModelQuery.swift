import ModelCache
import ModelGrants
import ModelJSON
import ModelRecord

/// The models, or changes, that a request asks for, and their form.
struct ModelQuery: Hashable {
    /// The types; nil for all.
    var types: Set<String>?
    /// The ids; nil for all.
    var ids: Set<ExactText>?
    /// The beginning of the ids.
    var prefix: String?
    /// The conditions, all of which a model has to meet.
    var conditions: [FieldCondition]
    /// The types that the asker may read.
    var readable: [NamePattern]
    /// The form of the models; its fields are also the ones whose changes are told.
    var form: JSONForm

    /// The parameters of the form and of conditions, which all requests have.
    static let parameters: Set<String> = ["fields", "where", "form", "integers"]

    /// Reads ``parameters``.
    init(_ query: RequestQuery, readable: [NamePattern]) throws(Problem) {
        self.readable = readable
        var form = JSONForm()
        form.isFlat = try query.word("form", of: ["nested", "flat"]) == "flat"
        form.hasLargeIntegersAsText = try query.word("integers", of: ["number", "text"]) == "text"
        form.fields = try query.list("fields")
        self.form = form
        var conditions: [FieldCondition] = []
        for text in query.all("where") ?? [] { conditions.append(try FieldCondition(text)) }
        self.conditions = conditions
    }

    /// The models of the type may be read, and are asked for.
    func selects(type: String) -> Bool {
        types?.contains(type) ?? true && readable.contains { $0.matches(type) }
    }

    /// The model is asked for, whatever its fields.
    func selects(id: String) -> Bool {
        ids?.contains(ExactText(id)) ?? true && prefix.map { id.utf8.starts(with: $0.utf8) } ?? true
    }

    /// The model exists, and its fields are as asked for.
    func selects(_ record: CellRecord?) -> Bool {
        guard let record, record.isPresent else { return false }
        return conditions.allSatisfy { $0.isMet(by: record) }
    }

    /// A change as it is told: a model that does not meet the conditions is as one that does not exist.
    struct Told {
        /// Nil where the reader knows nothing of the model.
        var old: CellRecord?
        /// Nil where the reader is to know nothing of it any more.
        var new: CellRecord?
        /// The fields that have changed, as far as they are asked for.
        var changed: [String]
    }

    /// The change as it is told.
    /// - Returns: nil where it is not asked for: no such field has changed while the model was there, or it was not
    ///   there before, and is not now.
    func told(_ change: Change) -> Told? {
        guard selects(id: change.id) else { return nil }
        let (old, new) = (change.old.flatMap { selects($0) ? $0 : nil }, change.new.flatMap { selects($0) ? $0 : nil })
        guard old != nil || new != nil else { return nil }
        let stays = old != nil && new != nil
        let changed = change.changedFields.filter(form.selects)
        guard form.fields == nil || !changed.isEmpty || !stays else { return nil }
        return Told(old: old, new: new, changed: changed)
    }

    /// The part of the cache that has to be observed.
    var interest: Interest {
        guard let types, types.count == 1, let type = types.first else { return .everything }
        guard let ids, ids.count == 1, let id = ids.first?.text else { return .type(type) }
        return .model(type: type, id: id)
    }
}
