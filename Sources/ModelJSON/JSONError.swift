/// Why a text is not accepted as JSON.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The fault, in words for a person.
    package let reason: String
    /// The number of the byte at fault, the first being 1; nil where no single place is.
    package let column: Int?

    package init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        column = offset.map { $0 + 1 }
    }

    package var description: String { column.map { "\(reason) at column \($0)" } ?? reason }
}
