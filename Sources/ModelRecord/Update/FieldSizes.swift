import ModelCBOR

/// Bounds of the names and values of encoded fields, so that one comparison shows whether all are within their limits.
///
/// The bounds never shrink: a field that was removed may still count.
package struct FieldSizes: Sendable {
    /// The size of the longest name.
    package private(set) var nameByteCountMax = 0
    /// The size of the largest encoded value.
    package private(set) var valueByteCountMax = 0
    /// Facts about the names, a bit each. One stored property more would have the compiler copy ``Fields``
    /// by a call in every update.
    private var marks: UInt = 0

    private static let emptyName: UInt = 1
    private static let expiry: UInt = 2

    /// A name is empty.
    package var hasEmptyName: Bool { marks & FieldSizes.emptyName != 0 }
    /// A field has been among them that says when the model ends, or for how long it is leased.
    package var mayExpire: Bool { marks & FieldSizes.expiry != 0 }

    /// Takes note of a name that may be that of a field with the model's end or lease.
    @inline(never)
    mutating func noteExpiry(_ name: String) {
        if name == "$expires" || name == "$leaseMs" { marks |= FieldSizes.expiry }
    }

    @inline(__always)
    mutating func note(name: Int, value: Int) {
        marks |= name == 0 ? FieldSizes.emptyName : 0
        nameByteCountMax = max(nameByteCountMax, name)
        valueByteCountMax = max(valueByteCountMax, value)
    }
}
