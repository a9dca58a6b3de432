/// A set of properties of a model, by their indices in ``Model/properties``. The first 64 take no heap memory.
public struct FieldSet: Hashable, Sendable {
    private var first: UInt64 = 0
    /// The other properties, 64 in each word. Nil when there are none, and without zeros at the end, so that equal sets
    /// have equal words.
    private var others: [UInt64]?

    /// No property.
    public init() {}

    /// True when the set has no property.
    public var isEmpty: Bool { first == 0 && others == nil }

    /// True when the set has the property at index `place`.
    /// - Complexity: O(1)
    public func contains(_ place: Int) -> Bool {
        if place < 64 { return first & (1 << UInt64(place)) != 0 }
        guard let others, place / 64 <= others.count else { return false }
        return others[place / 64 - 1] & (1 << UInt64(place % 64)) != 0
    }

    /// Adds the property at index `place`.
    public mutating func insert(_ place: Int) {
        guard place >= 64 else {
            first |= 1 << UInt64(place)
            return
        }
        var words = others ?? []
        while words.count < place / 64 { words.append(0) }
        words[place / 64 - 1] |= 1 << UInt64(place % 64)
        others = words
    }

    /// Removes the property at index `place`.
    public mutating func remove(_ place: Int) {
        guard place >= 64 else {
            first &= ~(1 << UInt64(place))
            return
        }
        guard var words = others, place / 64 <= words.count else { return }
        words[place / 64 - 1] &= ~(1 << UInt64(place % 64))
        while words.last == 0 { words.removeLast() }
        others = words.isEmpty ? nil : words
    }

    /// Removes the property at index `place` if it has a value. For generated code.
    @inlinable public mutating func remove<Value>(_ place: Int, where value: Value?) {
        if value != nil { remove(place) }
    }

    /// Removes the property at index `place` if it has another value than its default. For generated code.
    @inlinable public mutating func remove<Value: Equatable>(
        _ place: Int, where value: Value, unlike standard: @autoclosure () -> Value
    ) {
        if contains(place), value != standard() { remove(place) }
    }

    /// Adds the property at index `place` unless its field is known. For generated code.
    @inlinable public mutating func insert(_ place: Int, unless isKnown: Bool) {
        if !isKnown { insert(place) }
    }
}
