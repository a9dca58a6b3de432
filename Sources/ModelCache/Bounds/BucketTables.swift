/// A table of values by keys for each of the 256 buckets of a type, so that none ever has to be copied as a whole to a
/// larger one for long. There are none until the first value, as most types of a copy without limits have none.
struct BucketTables<Value: Sendable>: Sendable {
    private var tables: [[UInt64: Value]] = []

    subscript(bucket: Int) -> [UInt64: Value] {
        _read {
            // Not written where it is handed out: the formatter would take that for a subscript.
            let none: [UInt64: Value] = [:]
            if tables.isEmpty { yield none } else { yield tables[bucket] }
        }
        _modify {
            if tables.isEmpty { tables = Array(repeating: [:], count: 256) }
            yield &tables[bucket]
        }
    }

    /// Hands out all values.
    func forEach(_ body: (Value) -> Void) {
        for table in tables { for value in table.values { body(value) } }
    }
}
