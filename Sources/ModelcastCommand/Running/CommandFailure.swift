import Modelcast

/// A failure that ends a command with exit code 1 and one line on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    /// A sentence for a person that says what happened and what to do.
    let description: String

    init(_ description: String) { self.description = description.shown(byteCountMax: 8192) }
}
