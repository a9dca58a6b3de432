/// The content of a field.
public protocol ReferenceContent: Hashable, Sendable {
    /// The content says that the field was removed.
    var isRemoval: Bool { get }
    /// The order of two contents with one version, which only a broken origin writes: the later one stays.
    func precedes(_ other: Self) -> Bool
}

/// An encoded value.
extension [UInt8]: ReferenceContent {
    public var isRemoval: Bool { self == [0xF7] }
    public func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
