/// The schemas that a lenient run has found to have no form in Swift. Such a run reads again and again, each time with
/// what it has learnt, until all has a form.
final class Leniency {
    private var anyValues: Set<String> = []
    private var withoutIDs: Set<String> = []

    /// How much is known.
    var count: Int { anyValues.count + withoutIDs.count }

    /// The schema has no form: it is any value.
    func isAnyValue(_ node: SchemaNode) -> Bool { anyValues.contains(node.key) }
    func takeAsAnyValue(_ node: SchemaNode) { anyValues.insert(node.key) }

    /// The schema has a property with the name of an id that is none: it is no model.
    func hasNoID(_ node: SchemaNode) -> Bool { withoutIDs.contains(node.key) }
    func takeAsNoModel(_ key: String) { withoutIDs.insert(key) }
}
