import ModelCBOR
import ModelRecord

extension ControlRequest: ControlFrame {
    /// The frame of this request, in deterministic encoding.
    public func encode() -> [UInt8] {
        var writer = CBORWriter(reserving: 128)
        switch self {
        case .hello(_, let version, let name, let prefixes):
            begin(5, &writer)
            writer.write(unsigned: version)
            writer.write(text: name)
            writer.write(topics: prefixes)
        case .snapshot(_, let prefixes, let credit): writeSnapshot(prefixes, credit, extent: nil, &writer)
        case .heads(_, let prefixes, let credit): writeSnapshot(prefixes, credit, extent: "heads", &writer)
        case .ids(_, let prefixes, let credit): writeSnapshot(prefixes, credit, extent: "ids", &writer)
        case .credit(_, let count):
            begin(3, &writer)
            writer.write(unsigned: count)
        case .replay(_, let origin, let incarnation, let topic, let first, let last):
            begin(7, &writer)
            writer.write(text: origin)
            writer.write(unsigned: incarnation)
            writer.write(byteString: topic.bytes)
            writer.write(unsigned: first)
            writer.write(unsigned: last)
        case .fetch(_, let type, let ids):
            begin(4, &writer)
            writer.write(text: type)
            writer.write(ids: ids)
        case .fetchBack(_, let type, let ids, let milliseconds):
            begin(5, &writer)
            writer.write(text: type)
            writer.write(ids: ids)
            writer.write(unsigned: milliseconds)
        case .digest(_, let type, let bits):
            begin(4, &writer)
            writer.write(text: type)
            writer.write(unsigned: bits)
        case .push(_, let topic, let batch):
            begin(4, &writer)
            writer.write(byteString: topic.bytes)
            writer.write(byteString: batch)
        case .report(_, let report):
            begin(3, &writer)
            report.write(to: &writer)
        case .cancel, .unknown:
            begin(2, &writer)
        }
        return writer.bytes
    }

    /// - Parameter extent: what of the snapshot is wanted; nil for all.
    private func writeSnapshot(_ prefixes: [Topic], _ credit: UInt64, extent: String?, _ writer: inout CBORWriter) {
        begin(extent == nil ? 4 : 5, &writer)
        writer.write(topics: prefixes)
        writer.write(unsigned: credit)
        if let extent { writer.write(text: extent) }
    }

    /// Reads a request in any well-formed encoding. Elements that an array has beyond the known ones are ignored.
    /// - Throws: ``WireError`` for bytes that are no request, a bad name, or anything past a limit.
    public init(decoding bytes: Span<UInt8>, limits: WireLimits = .default) throws(WireError) {
        var frame = try FrameReader(bytes, limits: limits)
        var elements = try frame.beginArray()
        let (method, rid) = try frame.methodAndRID(&elements)
        switch method {
        case "hello":
            self = .hello(
                rid: rid, version: try frame.unsigned(&elements),
                name: try frame.shownText(&elements, byteCountMax: 255), prefixes: try frame.topics(&elements))
        case "snapshot":
            let (prefixes, credit) = (try frame.topics(&elements), try frame.unsigned(&elements))
            self =
                switch try frame.optionalText(&elements, byteCountMax: 16) {
                case "heads": .heads(rid: rid, prefixes: prefixes, credit: credit)
                case "ids": .ids(rid: rid, prefixes: prefixes, credit: credit)
                default: .snapshot(rid: rid, prefixes: prefixes, credit: credit)
                }
        case "credit":
            self = .credit(rid: rid, count: try frame.unsigned(&elements))
        case "replay":
            self = .replay(
                rid: rid, origin: try frame.origin(&elements), incarnation: try frame.unsigned(&elements),
                topic: try frame.topic(&elements), first: try frame.unsigned(&elements),
                last: try frame.unsigned(&elements))
        case "fetch":
            let (type, ids) = (try frame.type(&elements), try frame.ids(&elements))
            let milliseconds = try frame.optionalUnsigned(&elements) ?? 0
            self =
                milliseconds > 0
                ? .fetchBack(rid: rid, type: type, ids: ids, milliseconds: milliseconds)
                : .fetch(rid: rid, type: type, ids: ids)
        case "digest":
            self = .digest(rid: rid, type: try frame.type(&elements), bits: try frame.unsigned(&elements))
        case "push":
            self = .push(
                rid: rid, topic: try frame.topic(&elements),
                batch: try frame.byteString(&elements, byteCountMax: limits.frameByteCount))
        case "report":
            try frame.expect(&elements)
            self = .report(rid: rid, report: try ReplicaReport(reading: &frame))
        case "cancel":
            self = .cancel(rid: rid)
        default:
            self = .unknown(method: method, rid: rid)
        }
        try frame.end(&elements)
    }
}

extension FrameReader {
    /// A list of ids.
    @_lifetime(self: copy self)
    mutating func ids(_ elements: inout FrameElements) throws(WireError) -> [String] {
        try expect(&elements)
        var list = try beginArray()
        var ids: [String] = []
        while next(&list) {
            let start = offset
            let id = try text(byteCountMax: 255)
            do { try Names.check(id: id) } catch { throw WireError(.name, error.description, at: start) }
            ids.append(id)
        }
        return ids
    }
}

extension CBORWriter {
    mutating func write(ids: [String]) {
        writeArrayHead(ids.count)
        for id in ids { write(text: id) }
    }

    mutating func write(topics: [Topic]) {
        writeArrayHead(topics.count)
        for topic in topics { write(byteString: topic.bytes) }
    }
}
