import Modelcast

/// A failure that ends a command with exit code 1 and one line on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    /// What happened and what to do, for a person.
    let description: String

    init(_ description: String) { self.description = description.shown(byteCountMax: 8192) }
}
