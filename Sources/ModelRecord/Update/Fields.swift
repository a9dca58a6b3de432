import ModelCBOR

/// The fields of one update: names and values, each name once, kept in the order of their encodings.
///
/// ```swift
/// let fields: Fields = ["age": 30, "nick_name": "Ada", "homepage": nil]
/// ```
/// A name that is given twice takes its last value.
///
/// Fields are kept as they travel, so that publishing them copies bytes; ``pairs`` and the subscript decode. Only where
/// a value is an array, a map or of a foreign tag, which may be nested deeper than any encoding allows, are the values
/// themselves kept.
public struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    /// One field and what it is to become.
    public struct Pair: Hashable, Sendable {
        public let field: String
        public let value: Value
    }

    /// The encoded pairs, unless ``nested`` holds them. Bytes and not a writer: a copy of a type that a module does not
    /// import is made by way of its metadata there, which costs more than the rest of an update's fields.
    var encodedBytes: [UInt8]
    /// The pairs, once one of them has been nested.
    var nested: [Pair]?
    /// The sizes of the encoded pairs.
    var sizes = FieldSizes()
    /// How many fields there are.
    public internal(set) var count = 0

    /// Fields from a dictionary.
    /// - Complexity: O(*n* log *n*)
    public init(_ values: [String: Value]) {
        self.init(values.map { ($0.key, $0.value) }.sorted { Fields.precedes($0.0, $1.0) })
    }

    /// Fields as they are written in a program, best in order.
    /// - Complexity: O(*n*) when they are in order, else O(*n*²).
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }

    private init(_ elements: [(String, Value)]) {
        encodedBytes = []
        encodedBytes.reserveCapacity(elements.count &* 32)
        var last = 0..<0
        // One pass, and one copy of each pair: counting references is what making fields costs.
        for (field, value) in elements {
            let start = encodedBytes.count
            guard nested == nil, let name = append(field, value) else {
                setNested(field, value)
                continue
            }
            if isOrdered(last, name) {
                last = name
            } else {
                settle(start)
                last = lastName
            }
        }
    }

    /// There are no fields.
    public var isEmpty: Bool { count == 0 }

    /// The order of encoded names: a text's head tells its length first, so shorter names come first.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        let leftCount = left.utf8.count
        let rightCount = right.utf8.count
        if leftCount != rightCount { return leftCount < rightCount }
        return unsafe left.withUTF8Bytes { left in
            // Both are lent for the call.
            unsafe right.withUTF8Bytes { right in unsafe Bytes.compare(left.span, right.span) < 0 }
        }
    }
}

/// Names and values are what counts, not how they are kept.
extension Fields: Hashable {
    public static func == (left: Fields, right: Fields) -> Bool {
        left.count == right.count && left.pairs == right.pairs
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(pairs) }
}
