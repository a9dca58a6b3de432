import ModelCBOR

/// The fields of one update: names and values, each name once, kept in the order of their encodings.
///
/// ```swift
/// let fields: Fields = ["age": 30, "nick_name": "Ada", "homepage": nil]
/// ```
/// A name that is given twice takes its last value.
///
/// Fields are kept encoded, so that publishing them copies bytes; ``pairs`` and the subscript decode. If a value is an
/// array, a map or of a foreign tag, the decoded values are kept instead, as such a value may be nested deeper than the
/// encoding allows.
public struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    /// One field and its new value.
    public struct Pair: Hashable, Sendable {
        /// The path of the field.
        public let field: String
        /// The new value.
        public let value: Value
    }

    /// The encoded pairs; empty if ``nested`` holds the pairs. The type is an array, not a writer: another module that
    /// does not import the writer's module would copy a writer by way of its metadata, which costs more than the rest
    /// of an update's fields.
    var encodedBytes: [UInt8]
    /// The decoded pairs, from the first nested value on.
    var nested: [Pair]?
    /// The sizes of the encoded pairs.
    var sizes = FieldSizes()
    /// How many fields there are.
    public internal(set) var count = 0

    /// Fields from a dictionary.
    /// - Complexity: O(*n* log *n*)
    public init(_ values: [String: Value]) {
        self.init(pairs: values.map { ($0.key, $0.value) }.sorted { Fields.precedes($0.0, $1.0) })
    }

    /// Fields as they are written in a program, best in order.
    /// - Complexity: O(*n*) when they are in order, otherwise O(*n*²).
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(pairs: elements) }

    /// Fields from pairs. A dictionary would take two names for one that write one character in two ways.
    package init(pairs elements: [(String, Value)]) {
        encodedBytes = []
        encodedBytes.reserveCapacity(elements.count &* 32)
        var last = 0..<0
        // One pass, and one copy of each pair: reference counting is the main cost of making fields.
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

    /// True when there are no fields.
    public var isEmpty: Bool { count == 0 }

    /// The order of encoded names: a text's head tells its length first, so shorter names come first.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        let leftCount = left.utf8.count
        let rightCount = right.utf8.count
        if leftCount != rightCount { return leftCount < rightCount }
        return unsafe left.withUTF8Bytes { left in
            // Both texts are lent for the duration of the call.
            unsafe right.withUTF8Bytes { right in unsafe Bytes.compare(left.span, right.span) < 0 }
        }
    }
}

/// Fields are equal when their names and values are, however they are kept.
extension Fields: Hashable {
    public static func == (left: Fields, right: Fields) -> Bool {
        left.count == right.count && left.pairs == right.pairs
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(pairs) }
}
