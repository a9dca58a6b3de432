public import ModelCBOR

extension Record {
    /// Reads and checks the next encoded record of `reader`: `[id, floor, touched, { * field => [value, stamp, origin] }]`.
    ///
    /// Accepts any order of keys and any well-formed encoding; the record holds the deterministic one.
    /// Elements past the fourth are ignored.
    /// - Throws: ``CBORError``: malformed bytes, a name or a depth past its limit.
    /// - Parameter maxDepth: how deep values may be nested.
    public init(reading reader: inout CBORReader, maxDepth: Int = 64) throws(CBORError) {
        let start = reader.offset
        var probe = CBORReader(reader.bytes, at: start)
        try Record.check(&probe, maxDepth: maxDepth)
        if probe.isDeterministic, probe.bytes[start] == 0x84 {
            self = Record(copying: reader.bytes.extracting(start..<probe.offset))
            reader.offset = probe.offset
            return
        }
        var writer = CBORWriter()
        // The levels above a value: the record, its map and the cell.
        try writer.writeCanonical(&reader, maxDepth: maxDepth + 3)
        let canonical = writer.bytes.span
        var again = CBORReader(canonical)
        try Record.check(&again, maxDepth: maxDepth)
        self = Record(copying: canonical)
    }

    /// Checks the shape of a record; leaves the reader behind it.
    private static func check(_ reader: inout CBORReader, maxDepth: Int) throws(CBORError) {
        let start = reader.offset
        guard let count = try reader.readArrayHead() else {
            reader.offset = start
            return try reader.skipItem(maxDepth: maxDepth + 3)
        }
        guard count >= 4 else { throw CBORError(.unexpectedType, at: start) }
        let id = try reader.readText()
        guard (1...255).contains(id.count), !reader.bytes.extracting(id).containsNUL else {
            throw CBORError(.limit, at: id.lowerBound)
        }
        for _ in 0..<2 where !reader.readNull() { try checkVersion(&reader) }
        let pairs = try reader.readMapHead()
        var index = 0
        var previous = reader.offset..<reader.offset
        while pairs == nil ? !reader.readBreak() : index < (pairs ?? 0) {
            let keyStart = reader.offset
            let name = try reader.readText()
            guard (1...128).contains(name.count) else { throw CBORError(.limit, at: keyStart) }
            try reader.checkOrder(of: keyStart..<reader.offset, after: previous)
            previous = keyStart..<reader.offset
            try checkCell(&reader, maxDepth: maxDepth)
            index += 1
        }
        for _ in 4..<count { try reader.skipItem(maxDepth: maxDepth + 3) }
    }

    private static func checkVersion(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        guard try reader.readArrayHead() == 2 else { throw CBORError(.unexpectedType, at: start) }
        try checkTail(&reader)
    }

    private static func checkCell(_ reader: inout CBORReader, maxDepth: Int) throws(CBORError) {
        let start = reader.offset
        guard try reader.readArrayHead() == 3 else { throw CBORError(.unexpectedType, at: start) }
        try reader.skipItem(maxDepth: maxDepth)
        try checkTail(&reader)
    }

    private static func checkTail(_ reader: inout CBORReader) throws(CBORError) {
        _ = try reader.readUnsigned()
        let origin = try reader.readText()
        guard Names.isOrigin(reader.bytes.extracting(origin)) else { throw CBORError(.limit, at: origin.lowerBound) }
    }

    /// A record of bytes that were checked and are deterministic. A longer array loses its extra elements.
    private init(copying encoded: Span<UInt8>) {
        var reader = CBORReader(encoded, at: 1)
        let id = reader.skipValidText()
        let idHash = Fingerprint.fnv(encoded.extracting(id))
        let floor = VersionSlice(reading: &reader)
        let touched = VersionSlice(reading: &reader)
        let mapStart = reader.offset
        let count = reader.readValidCount()
        let cellsStart = reader.offset
        var plan = MergePlan()
        for _ in 0..<count {
            let cell = CellSlice(reading: &reader)
            plan.keep(.old, cell.key.lowerBound, cell.end)
        }
        precondition(mapStart < cellsStart, "a map head takes at least one byte")
        self = RecordBuilder.make(
            id: encoded.extracting(id), idHash: idHash, floor: floor.view(in: encoded),
            touched: touched.view(in: encoded),
            exists: Record.exists(floor: floor.view(in: encoded), touched: touched.view(in: encoded)),
            plan: plan, old: encoded, other: Span(), stamp: 0, origin: Span())
    }

    /// A model exists when touched is not below floor; none is below everything.
    static func exists(floor: borrowing VersionView?, touched: borrowing VersionView?) -> Bool {
        switch touched {
        case nil: return false
        case let touched?:
            switch floor {
            case nil: return true
            case let floor?: return touched.compare(floor) >= 0
            }
        }
    }
}

extension Span<UInt8> {
    var containsNUL: Bool {
        for index in indices where self[index] == 0 { return true }
        return false
    }
}
