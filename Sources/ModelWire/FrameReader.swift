import ModelCBOR
@_spi(RecordWriting) import ModelRecord

/// The rest of an array or map that is being read.
struct FrameElements {
    /// The number of elements or pairs left; nil for an indefinite length.
    fileprivate var count: UInt64?
    fileprivate var isEnded = false

    fileprivate init(count: Int?) { self.count = count.map(UInt64.init) }
}

/// Reads the frames that are not batches, in any well-formed encoding, in one pass, without a tree.
struct FrameReader: ~Escapable {
    private(set) var reader: CBORReader
    let limits: WireLimits

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, limits: WireLimits) throws(WireError) {
        guard bytes.count <= limits.frameByteCount else {
            throw WireError(
                .limit, "a frame of \(bytes.count) bytes; at most \(limits.frameByteCount) are allowed", at: 0)
        }
        reader = CBORReader(bytes)
        self.limits = limits
    }

    var offset: Int { reader.offset }

    func expectEnd() throws(WireError) {
        do { try reader.expectEnd() } catch { throw WireError(error) }
    }

    // MARK: Containers

    @_lifetime(self: copy self)
    mutating func beginArray() throws(WireError) -> FrameElements {
        do { return FrameElements(count: try reader.readArrayHead()) } catch { throw WireError(error) }
    }

    @_lifetime(self: copy self)
    mutating func beginMap() throws(WireError) -> FrameElements {
        do { return FrameElements(count: try reader.readMapHead()) } catch { throw WireError(error) }
    }

    /// Steps to the next element or pair; false at the end.
    @_lifetime(self: copy self)
    mutating func next(_ elements: inout FrameElements) -> Bool {
        if let count = elements.count {
            guard count > 0 else { return false }
            elements.count = count - 1
            return true
        }
        if elements.isEnded { return false }
        elements.isEnded = reader.readBreak()
        return !elements.isEnded
    }

    /// Steps to a required element.
    @_lifetime(self: copy self)
    mutating func expect(_ elements: inout FrameElements) throws(WireError) {
        guard next(&elements) else { throw WireError(.malformed, "an array has too few elements", at: offset) }
    }

    /// Steps to an optional element; false when it is missing or null, which mean the same.
    @_lifetime(self: copy self)
    mutating func optional(_ elements: inout FrameElements) -> Bool { next(&elements) && !reader.readNull() }

    /// Passes over the elements of an array that version 1 does not know.
    @_lifetime(self: copy self)
    mutating func finish(_ elements: inout FrameElements) throws(WireError) {
        while next(&elements) { try skip() }
    }

    /// Passes over one item of any kind and checks that it is well-formed and has no key twice.
    @_lifetime(self: copy self)
    mutating func skip() throws(WireError) {
        let start = offset
        do {
            reader.isDeterministic = true
            try reader.skipItem(maxDepth: limits.depth)
            guard !reader.isDeterministic else { return }
            // The keys of some map are not in order, so only the transcoder finds duplicates.
            reader.offset = start
            var scratch = CBORWriter()
            try scratch.writeCanonical(&reader, maxDepth: limits.depth)
        } catch {
            throw WireError(error)
        }
    }

    // MARK: Scalars

    @_lifetime(self: copy self)
    mutating func unsigned(_ elements: inout FrameElements) throws(WireError) -> UInt64 {
        try expect(&elements)
        return try unsigned()
    }

    @_lifetime(self: copy self)
    mutating func unsigned() throws(WireError) -> UInt64 {
        do { return try reader.readUnsigned() } catch { throw WireError(error) }
    }

    /// True when an unsigned integer is next.
    var isAtUnsigned: Bool { reader.nextByte.map { $0 >> 5 == CBORMajor.unsigned.rawValue } ?? false }

    @_lifetime(self: copy self)
    mutating func optionalUnsigned(_ elements: inout FrameElements) throws(WireError) -> UInt64? {
        guard optional(&elements) else { return nil }
        do { return try reader.readUnsigned() } catch { throw WireError(error) }
    }

    /// A text of definite or indefinite length.
    @_lifetime(self: copy self)
    mutating func text(_ elements: inout FrameElements, byteCountMax: Int) throws(WireError) -> String {
        try expect(&elements)
        return try text(byteCountMax: byteCountMax)
    }

    @_lifetime(self: copy self)
    mutating func text(byteCountMax: Int) throws(WireError) -> String {
        let content = try string(.text, byteCountMax: byteCountMax)
        guard let text = String(validating: content, as: UTF8.self) else {
            throw WireError(.malformed, CBORError.Code.invalidUTF8.description, at: offset)
        }
        return text
    }

    /// A byte string of definite or indefinite length.
    @_lifetime(self: copy self)
    mutating func byteString(_ elements: inout FrameElements, byteCountMax: Int) throws(WireError) -> [UInt8] {
        try expect(&elements)
        return try string(.bytes, byteCountMax: byteCountMax)
    }

    @_lifetime(self: copy self)
    private mutating func string(_ major: CBORMajor, byteCountMax: Int) throws(WireError) -> [UInt8] {
        let start = offset
        guard let initial = reader.nextByte else {
            throw WireError(.malformed, CBORError.Code.truncated.description, at: start)
        }
        guard initial >> 5 == major.rawValue else {
            throw WireError(.malformed, "\(major) was expected", at: start)
        }
        var content: [UInt8] = []
        do { try reader.appendString(to: &content) } catch { throw WireError(error) }
        guard content.count <= byteCountMax else {
            throw WireError(.limit, "\(content.count) bytes where \(byteCountMax) are allowed", at: start)
        }
        return content
    }

    /// Reads a text that only people read: a name, a message, a reason. It is escaped here, once, so that no later code
    /// can show it raw (see `shown`), and cut, so that it can be sent again.
    @_lifetime(self: copy self)
    mutating func shownText(_ elements: inout FrameElements, byteCountMax: Int) throws(WireError) -> String {
        try expect(&elements)
        return try shownText(byteCountMax: byteCountMax)
    }

    @_lifetime(self: copy self)
    mutating func shownText(byteCountMax: Int) throws(WireError) -> String {
        try text(byteCountMax: byteCountMax).shown(byteCountMax: min(byteCountMax, String.shownByteCountMax))
    }

    // MARK: Names

    @_lifetime(self: copy self)
    mutating func origin(_ elements: inout FrameElements) throws(WireError) -> String {
        try expect(&elements)
        let start = offset
        let name = try text(byteCountMax: 64)
        guard Names.isOrigin(name.utf8.span) else { throw WireError(.name, "not the name of an origin", at: start) }
        return name
    }

    @_lifetime(self: copy self)
    mutating func type(_ elements: inout FrameElements) throws(WireError) -> String {
        try expect(&elements)
        return try type()
    }

    @_lifetime(self: copy self)
    mutating func type() throws(WireError) -> String {
        let start = offset
        let name = try text(byteCountMax: 64)
        guard Names.isType(name.utf8.span) else { throw WireError(.name, "not the name of a type", at: start) }
        return name
    }

    @_lifetime(self: copy self)
    mutating func topic(_ elements: inout FrameElements) throws(WireError) -> Topic {
        try expect(&elements)
        return try topic()
    }

    @_lifetime(self: copy self)
    mutating func topic() throws(WireError) -> Topic {
        let start = offset
        let topic = Topic(bytes: try string(.bytes, byteCountMax: Topic.byteCountMax))
        guard topic.isValid else { throw WireError(.name, "an empty topic", at: start) }
        return topic
    }

    /// Reads a list of types that may be missing. An item of another kind is passed over.
    @_lifetime(self: copy self)
    mutating func optionalTypes(_ elements: inout FrameElements) throws(WireError) -> [String] {
        guard next(&elements) else { return [] }
        guard reader.nextByte.map({ $0 >> 5 == CBORMajor.array.rawValue }) ?? false else {
            try skip()
            return []
        }
        var list = try beginArray()
        var types: [String] = []
        while next(&list) { types.append(try type()) }
        return types
    }

    /// Reads an optional `true`; false when it is missing. Any other item is passed over.
    @_lifetime(self: copy self)
    mutating func optionalTrue(_ elements: inout FrameElements) throws(WireError) -> Bool {
        guard next(&elements) else { return false }
        let isTrue = reader.nextByte == CBORConstant.trueByte
        try skip()
        return isTrue
    }

    /// Reads an optional text of at most so many bytes; nil when it is missing. Any other item is passed over.
    @_lifetime(self: copy self)
    mutating func optionalText(_ elements: inout FrameElements, byteCountMax: Int) throws(WireError) -> String? {
        guard next(&elements) else { return nil }
        var peek = reader
        try skip()
        guard peek.nextByte.map({ $0 >> 5 == CBORMajor.text.rawValue }) ?? false else { return nil }
        var content: [UInt8] = []
        do { try peek.appendString(to: &content) } catch { throw WireError(error) }
        return content.count <= byteCountMax ? String(validating: content, as: UTF8.self) : nil
    }

    /// Reads a list of prefixes of topics. Of those past the limit, the first is kept, so that the caller sees the
    /// excess; the others are passed over.
    @_lifetime(self: copy self)
    mutating func topics(_ elements: inout FrameElements) throws(WireError) -> [Topic] {
        try expect(&elements)
        var list = try beginArray()
        var topics: [Topic] = []
        while next(&list) {
            if topics.count <= WireLimits.prefixCountMax { topics.append(try topic()) } else { try skip() }
        }
        return topics
    }

    @_lifetime(self: copy self)
    mutating func record() throws(WireError) -> CellRecord {
        do { return try CellRecord(reading: &reader, maxDepth: limits.depth) } catch { throw WireError(error) }
    }
}
