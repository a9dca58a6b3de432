extension CBORReader {
    /// Passes over one item like ``skipItem(maxDepth:)`` and checks that it is a value that Modelcast accepts (protocol
    /// article, section 3): integers of 64 signed bits, text as the keys of maps, no simple values besides false, true,
    /// null and undefined. Below a tag that Modelcast gives no meaning, any well-formed item is accepted.
    /// - Throws: also `integer-range` and `unexpected-type`: the item is well-formed, so the bytes around it can still
    ///   be read.
    @_lifetime(self: copy self)
    @inlinable public mutating func skipValue(maxDepth: Int) throws(CBORError) {
        // The common small scalars, without a call.
        if offset < bytes.count {
            let initial = bytes[offset]
            if initial < 0x18 || (initial >= 0x20 && initial < 0x38) || (initial >= 0xF4 && initial <= 0xF7) {
                offset &+= 1
                return
            }
            if initial >= 0x60, initial <= 0x78 {
                _ = try readText()
                return
            }
        }
        try skipLongValue(maxDepth: maxDepth)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func skipLongValue(maxDepth: Int) throws(CBORError) {
        let start = offset
        let head = try readHead()
        switch head.major {
        case .unsigned, .negative:
            guard head.argument <= UInt64(Int64.max) else { throw CBORError(.integerRange, at: start) }
        case .bytes, .text:
            try skipString(head, at: start)
        case .array:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            var index: UInt64 = 0
            while head.isIndefinite ? !readBreak() : index < head.argument {
                try skipValue(maxDepth: maxDepth - 1)
                index += 1
            }
        case .map:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            try skipValuePairs(head, maxDepth: maxDepth - 1)
        case .tag:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            if head.argument == CBORConstant.timestampTag {
                try skipValue(maxDepth: maxDepth - 1)
            } else {
                try skipItem(maxDepth: maxDepth - 1)
            }
        case .simple:
            guard !head.isIndefinite else { throw CBORError(.reserved, at: start) }
            switch head.information {
            case 20...23: break
            case 25...27: if !CBORFloat.isShortest(head) { isDeterministic = false }
            default: throw CBORError(.unexpectedType, at: start)
            }
        }
    }

    @_lifetime(self: copy self)
    private mutating func skipValuePairs(_ head: CBORHead, maxDepth: Int) throws(CBORError) {
        var previous = offset..<offset
        var index: UInt64 = 0
        while head.isIndefinite ? !readBreak() : index < head.argument {
            let keyStart = offset
            if let initial = nextByte, initial >> 5 != CBORMajor.text.rawValue {
                // A break in the place of a key, or half a pair, is not even well-formed.
                try skipItem(maxDepth: maxDepth)
                throw CBORError(.unexpectedType, at: keyStart)
            }
            try skipValue(maxDepth: maxDepth)
            try checkOrder(of: keyStart..<offset, after: previous)
            previous = keyStart..<offset
            try skipValue(maxDepth: maxDepth)
            index += 1
        }
    }
}
