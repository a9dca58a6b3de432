public import ModelCBOR

#if canImport(FoundationEssentials)
    import struct FoundationEssentials.UUID
#else
    import struct Foundation.UUID
#endif

extension Value {
    /// Reads the next item of `reader`.
    /// - Throws: `CBORError` with `too-deep` past `maxDepth` levels of nesting, `integer-range` for an integer
    ///   outside 64 signed bits, `unexpected-type` for a map with keys that are not text.
    @_spi(RecordWriting)
    public init(reading reader: inout CBORReader, maxDepth: Int = 64) throws(CBORError) {
        let start = reader.offset
        let head = try reader.readHead()
        switch head.major {
        case .unsigned, .negative:
            guard head.argument <= UInt64(Int64.max) else { throw CBORError(.integerRange, at: start) }
            self = .int(head.major == .unsigned ? Int64(head.argument) : ~Int64(head.argument))
        case .bytes, .text:
            reader.offset = start
            var content: [UInt8] = []
            try reader.appendString(to: &content)
            guard head.major == .text else {
                self = .bytes(content)
                return
            }
            guard let text = String(validating: content, as: UTF8.self) else {
                throw CBORError(.invalidUTF8, at: start)
            }
            self = .text(text)
        case .array:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            var elements: [Value] = []
            while head.isIndefinite ? !reader.readBreak() : UInt64(elements.count) < head.argument {
                elements.append(try Value(reading: &reader, maxDepth: maxDepth - 1))
            }
            self = .array(elements)
        case .map:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            self = .map(try Value.pairs(head, &reader, maxDepth: maxDepth - 1))
        case .tag:
            guard maxDepth > 0 else { throw CBORError(.tooDeep, at: start) }
            self = try Value.tagged(head.argument, &reader, maxDepth: maxDepth - 1)
        case .simple:
            self = try Value.simple(head, at: start)
        }
    }

    private static func pairs(
        _ head: CBORHead, _ reader: inout CBORReader, maxDepth: Int
    ) throws(CBORError) -> [String: Value] {
        var map: [String: Value] = [:]
        var count: UInt64 = 0
        while head.isIndefinite ? !reader.readBreak() : count < head.argument {
            let start = reader.offset
            guard case .text(let key) = try Value(reading: &reader, maxDepth: maxDepth) else {
                throw CBORError(.unexpectedType, at: start)
            }
            let value = try Value(reading: &reader, maxDepth: maxDepth)
            guard map.updateValue(value, forKey: key) == nil else { throw CBORError(.duplicateKey, at: start) }
            count += 1
        }
        return map
    }

    private static func tagged(
        _ tag: UInt64, _ reader: inout CBORReader, maxDepth: Int
    ) throws(CBORError) -> Value {
        let start = reader.offset
        switch (tag, reader.nextByte.map { $0 >> 5 }) {
        case (CBORConstant.uriTag, CBORMajor.text.rawValue):
            if case .text(let text) = try Value(reading: &reader, maxDepth: maxDepth) { return .uri(text) }
        case (CBORConstant.uuidTag, CBORMajor.bytes.rawValue):
            if case .bytes(let bytes) = try Value(reading: &reader, maxDepth: maxDepth), bytes.count == 16 {
                return .uuid(UUID(bytes: bytes))
            }
        case (CBORConstant.timestampTag, _):
            switch try Value(reading: &reader, maxDepth: maxDepth) {
            case .int(let seconds): return .timestamp(Double(seconds))
            case .double(let seconds): return .timestamp(seconds)
            default: break
            }
        default: break
        }
        // A tag that Modelcast gives no meaning, or one with content that does not fit: kept as it is.
        reader.offset = start
        try reader.skipItem(maxDepth: maxDepth)
        let end = reader.offset
        return .tagged(tag, encoded: (start..<end).map { reader.bytes[$0] })
    }

    private static func simple(_ head: CBORHead, at start: Int) throws(CBORError) -> Value {
        if let double = CBORFloat.value(of: head) { return .double(double) }
        switch (head.information, head.argument) {
        case (20, _): return .bool(false)
        case (21, _): return .bool(true)
        case (22, _): return .null
        case (23, _): return .undefined
        default: throw CBORError(.unexpectedType, at: start)
        }
    }
}

extension CBORWriter {
    /// Writes a value in the core deterministic encoding.
    public mutating func write(_ value: Value) {
        switch value {
        case .null: writeNull()
        case .undefined: writeUndefined()
        case .bool(let value): write(bool: value)
        case .int(let value): write(int: value)
        case .double(let value): write(double: value)
        case .text(let text): write(text: text)
        case .bytes(let bytes): write(byteString: bytes)
        case .array(let elements):
            writeArrayHead(elements.count)
            for element in elements { write(element) }
        case .map(let map):
            let keys = map.keys.sorted(by: Fields.precedes)
            writeMapHead(keys.count)
            for key in keys {
                write(text: key)
                write(map[key] ?? .null)
            }
        case .uri(let text):
            writeHead(.tag, CBORConstant.uriTag)
            write(text: text)
        case .uuid(let uuid):
            writeHead(.tag, CBORConstant.uuidTag)
            write(byteString: uuid.byteArray)
        case .timestamp(let seconds):
            writeHead(.tag, CBORConstant.timestampTag)
            if let whole = Int64(exactly: seconds) { write(int: whole) } else { write(double: seconds) }
        case .tagged(let tag, let encoded):
            writeHead(.tag, tag)
            append(encoded: encoded.span)
        }
    }
}

extension UUID {
    /// The UUID of 16 bytes in network order.
    init(bytes b: [UInt8]) {
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    var byteArray: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }
}
