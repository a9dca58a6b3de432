package import ModelRecord

extension JSONReader {
    /// Reads a number: an integer if it has neither point nor exponent, a double otherwise.
    @_lifetime(self: copy self)
    package mutating func number() throws(JSONError) -> Value {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        let firstDigit = offset
        guard let magnitude = try digits() else { throw tooLarge(start) }
        if bytes[firstDigit] == UInt8(ascii: "0"), offset - firstDigit > 1 {
            throw JSONError("a number begins with 0", at: start)
        }
        var isIntegral = true
        if isNext(UInt8(ascii: ".")) {
            isIntegral = false
            offset &+= 1
            _ = try digits()
        }
        if isNext(UInt8(ascii: "e")) || isNext(UInt8(ascii: "E")) {
            isIntegral = false
            offset &+= 1
            if isNext(UInt8(ascii: "+")) || isNext(UInt8(ascii: "-")) { offset &+= 1 }
            _ = try digits()
        }
        guard isIntegral else { return try double(start) }
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { throw tooLarge(start) }
            return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        guard let value = Int64(exactly: magnitude) else { throw tooLarge(start) }
        return .int(value)
    }

    private func isNext(_ byte: UInt8) -> Bool { offset < bytes.count && bytes[offset] == byte }

    /// Passes one digit or more.
    /// - Returns: their value; nil for an integer beyond 64 bits. Before a point or an exponent the value may have
    ///   overflowed, and is not used.
    @_lifetime(self: copy self)
    private mutating func digits() throws(JSONError) -> UInt64? {
        let start = offset
        var value: UInt64 = 0
        var isTooLarge = false
        while offset < bytes.count, case let digit = bytes[offset] &- 0x30, digit <= 9 {
            let (product, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverAgain) = product.addingReportingOverflow(UInt64(digit))
            isTooLarge = isTooLarge || isOver || isOverAgain
            value = sum
            offset &+= 1
        }
        guard offset > start else { throw JSONError("expected a digit", at: offset) }
        // Before a point or an exponent a long run of digits is a double, whose value is taken from the text.
        let isWhole = !isNext(UInt8(ascii: ".")) && !isNext(UInt8(ascii: "e")) && !isNext(UInt8(ascii: "E"))
        return isTooLarge && isWhole ? nil : value
    }

    private func double(_ start: Int) throws(JSONError) -> Value {
        guard let value = Double(try string(start..<offset)), value.isFinite else {
            throw JSONError("the number \(try shown(start)) is beyond the range of a double", at: start)
        }
        return .double(value)
    }

    private func tooLarge(_ start: Int) -> JSONError {
        let number = (try? shown(start)) ?? "?"
        return JSONError("the integer \(number) does not fit into 64 bits", at: start)
    }

    private func shown(_ start: Int) throws(JSONError) -> String {
        let text = try string(start..<min(offset, start + 40))
        return offset > start + 40 ? text + "…" : text
    }
}
