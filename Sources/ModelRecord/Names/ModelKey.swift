/// The type and id of a model, as the key of a table: ids are equal where their bytes are.
package struct ModelKey: Hashable, Sendable, CustomStringConvertible {
    package let type: String
    private let exactID: ExactText

    package init(type: String, id: String) { (self.type, exactID) = (type, ExactText(id)) }

    package var id: String { exactID.text }

    package var description: String { "\(type) \(id)" }
}
