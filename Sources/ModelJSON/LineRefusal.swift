/// Why a line is not taken.
package struct LineRefusal: Error, Equatable, CustomStringConvertible {
    /// The fault, in words for a person.
    package let reason: String
    /// The id of the line's model; nil when the fault comes before the id, or is in it.
    package let id: String?
    /// The line was not read to its end and may have an id further on.
    package var mayNameModel = false

    package init(reason: String, id: String?, mayNameModel: Bool = false) {
        (self.reason, self.id, self.mayNameModel) = (reason, id, mayNameModel)
    }

    package var description: String { reason }
}
