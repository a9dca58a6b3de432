/// A value that is made of a record and kept on it: the model of a Swift type.
package protocol KeptOnRecord: Sendable {
    /// The value that the next record of the model begins with; nil for none. Called on the thread that commits, so it
    /// must be cheap and take no lock.
    func carried() -> Self?
    /// The key of values that are not carried any further once this one is; nil for none.
    var superseded: ObjectIdentifier? { get }
}

extension KeptOnRecord {
    package var superseded: ObjectIdentifier? { nil }
}
