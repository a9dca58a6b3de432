/// Values by number. A value keeps its number until it is removed; then the number is given to another one.
struct Slab<Value: Sendable>: Sendable {
    private var values: [Value?] = []
    private var free: [UInt32] = []

    /// The number of the value that is added next.
    var next: UInt32 { free.last ?? UInt32(values.count) }

    /// - Returns: the number of the value.
    @discardableResult
    mutating func add(_ value: Value) -> UInt32 {
        if let number = free.popLast() {
            values[Int(number)] = value
            return number
        }
        values.append(value)
        return UInt32(values.count - 1)
    }

    mutating func remove(_ number: UInt32) {
        values[Int(number)] = nil
        free.append(number)
        if free.count == values.count { (values, free) = ([], []) }
    }

    subscript(number: UInt32) -> Value? {
        get { values[Int(number)] }
        _modify { yield &values[Int(number)] }
    }
}
