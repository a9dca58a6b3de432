/// The fields of one update: names and values, each name once, kept in the order of their encodings.
///
/// ```swift
/// let fields: Fields = ["age": 30, "nick_name": "Ada", "homepage": nil]
/// ```
/// A name that is given twice takes its last value.
public struct Fields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One field and what it is to become.
    public struct Pair: Hashable, Sendable {
        public let field: String
        public let value: Value
    }

    /// The pairs, in the order of the encoded names: shorter names first, then bytewise.
    public private(set) var pairs: [Pair]

    /// Fields from a dictionary.
    /// - Complexity: O(*n* log *n*)
    public init(_ values: [String: Value]) {
        pairs = values.map { Pair(field: $0.key, value: $0.value) }
        pairs.sort { Fields.precedes($0.field, $1.field) }
    }

    public init(dictionaryLiteral elements: (String, Value)...) {
        pairs = []
        pairs.reserveCapacity(elements.count)
        for (field, value) in elements {
            // Most literals are written in order, or have but a few fields.
            if let last = pairs.last, !Fields.precedes(last.field, field) {
                self[field] = value
            } else {
                pairs.append(Pair(field: field, value: value))
            }
        }
    }

    /// The value given for `field`; setting nil takes the field out.
    public subscript(field: String) -> Value? {
        get {
            let index = index(of: field)
            guard isField(field, at: index) else { return nil }
            return pairs[index].value
        }
        set {
            let index = index(of: field)
            switch (newValue, isField(field, at: index)) {
            case (let value?, true): pairs[index] = Pair(field: field, value: value)
            case (let value?, false): pairs.insert(Pair(field: field, value: value), at: index)
            case (nil, true): pairs.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Where `field` stands, or would stand.
    private func index(of field: String) -> Int {
        pairs.firstIndex { !Fields.precedes($0.field, field) } ?? pairs.endIndex
    }

    /// Names are bytes: two spellings of one character that Unicode calls equal are two fields.
    private func isField(_ field: String, at index: Int) -> Bool {
        index < pairs.endIndex && pairs[index].field.utf8.elementsEqual(field.utf8)
    }

    /// How many fields there are.
    public var count: Int { pairs.count }
    /// There are no fields.
    public var isEmpty: Bool { pairs.isEmpty }

    /// The order of encoded names: a text's head tells its length first, so shorter names come first.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        let leftCount = left.utf8.count
        let rightCount = right.utf8.count
        if leftCount != rightCount { return leftCount < rightCount }
        return Bytes.compare(left.utf8.span, right.utf8.span) < 0
    }
}
