/// Some of the properties of a model, by their places in ``Model/properties``. The first 64 take no heap memory.
public struct FieldSet: Hashable, Sendable {
    private var first: UInt64 = 0
    /// The others, 64 a word; nil where there are none, and never with a 0 at the end: equal sets are equal.
    private var others: [UInt64]?

    /// No property.
    public init() {}

    public var isEmpty: Bool { first == 0 && others == nil }

    /// - Complexity: O(1)
    public func contains(_ place: Int) -> Bool {
        if place < 64 { return first & (1 << UInt64(place)) != 0 }
        guard let others, place / 64 <= others.count else { return false }
        return others[place / 64 - 1] & (1 << UInt64(place % 64)) != 0
    }

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
}
