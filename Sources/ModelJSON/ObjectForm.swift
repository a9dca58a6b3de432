/// The form of an object at some path of a line, where a schema says that it is no group of fields.
package enum ObjectForm: Sendable, Equatable {
    /// The value of one field.
    case value
    /// One of several groups of fields; the member of this name tells which.
    case tagged(String)
    /// One of several groups of fields, which nothing in it tells.
    case untagged
}
