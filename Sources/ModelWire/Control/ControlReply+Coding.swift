import ModelCBOR
import ModelRecord

extension ControlReply: ControlFrame {
    /// The frame of this reply, in deterministic encoding. Records are copied, not encoded again.
    public func encode() -> [UInt8] {
        var writer = CBORWriter(reserving: byteCountEstimate)
        switch self {
        case .welcome(_, let version, let name, let endpoint, let heartbeat, let frameLimit, let heads, let types):
            begin(types.isEmpty ? 8 : 9, &writer)
            writer.write(unsigned: version)
            writer.write(text: name)
            writer.write(text: endpoint)
            writer.write(unsigned: heartbeat)
            writer.write(unsigned: frameLimit)
            writer.write(heads: heads)
            guard !types.isEmpty else { break }
            writer.writeArrayHead(types.count)
            for type in types { writer.write(text: type) }
        case .records(_, let type, let records):
            begin(4, &writer)
            writer.write(text: type)
            writer.writeArrayHead(records.count)
            for record in records { writer.append(encoded: record.bytes) }
        case .part(_, let type, let record):
            begin(5, &writer)
            writer.write(text: type)
            writer.writeArrayHead(1)
            writer.append(encoded: record.bytes)
            writer.write(bool: true)
        case .evicted(_, let type, let ids):
            begin(4, &writer)
            writer.write(text: type)
            writer.writeArrayHead(ids.count)
            for id in ids { writer.write(text: id) }
        case .complete(_, let heads):
            begin(3, &writer)
            writer.write(heads: heads)
        case .frame(_, let topic, let batch):
            begin(4, &writer)
            writer.write(byteString: topic.bytes)
            writer.write(byteString: batch)
        case .gone(_, let oldest):
            begin(3, &writer)
            writer.write(unsigned: oldest)
        case .digests(_, let heads, let digests):
            begin(4, &writer)
            writer.write(heads: heads)
            writer.writeArrayHead(digests.count)
            for digest in digests { writer.write(unsigned: digest) }
        case .error(_, let code, let message):
            begin(4, &writer)
            writer.write(text: code.rawValue)
            writer.write(text: message)
        case .accepted, .unknown:
            begin(2, &writer)
        }
        return writer.bytes
    }

    private var byteCountEstimate: Int {
        switch self {
        case .records(_, _, let records): records.reduce(96) { $0 + $1.byteCount }
        case .part(_, _, let record): record.byteCount + 96
        case .frame(_, _, let batch): batch.count + 256
        case .digests(_, _, let digests): digests.count * 9 + 256
        default: 256
        }
    }

    /// Reads a reply in any well-formed encoding. Elements that an array has beyond the known ones are ignored.
    /// - Throws: ``WireError`` for bytes that are no reply, a bad name, or anything past a limit.
    public init(decoding bytes: Span<UInt8>, limits: WireLimits = .default) throws(WireError) {
        var frame = try FrameReader(bytes, limits: limits)
        var elements = try frame.beginArray()
        let (method, rid) = try frame.methodAndRID(&elements)
        switch method {
        case "welcome":
            self = .welcome(
                rid: rid, version: try frame.unsigned(&elements),
                name: try frame.shownText(&elements, byteCountMax: 255),
                streamEndpoint: try frame.text(&elements, byteCountMax: 1024),
                heartbeatMilliseconds: try frame.unsigned(&elements), frameLimit: try frame.unsigned(&elements),
                heads: try frame.heads(&elements), types: try frame.optionalTypes(&elements))
        case "records":
            let (type, records) = (try frame.type(&elements), try frame.records(&elements))
            let goesOn = try frame.optionalTrue(&elements)
            self =
                goesOn && records.count == 1
                ? .part(rid: rid, type: type, record: records[0]) : .records(rid: rid, type: type, records: records)
        case "evicted":
            self = .evicted(rid: rid, type: try frame.type(&elements), ids: try frame.ids(&elements))
        case "complete":
            self = .complete(rid: rid, heads: try frame.heads(&elements))
        case "frame":
            self = .frame(
                rid: rid, topic: try frame.topic(&elements),
                batch: try frame.byteString(&elements, byteCountMax: limits.frameByteCount))
        case "gone":
            self = .gone(rid: rid, oldest: try frame.unsigned(&elements))
        case "digests":
            self = .digests(rid: rid, heads: try frame.heads(&elements), digests: try frame.digests(&elements))
        case "accepted":
            self = .accepted(rid: rid)
        case "error":
            self = .error(
                rid: rid, code: ControlErrorCode(rawValue: try frame.shownText(&elements, byteCountMax: 64)),
                message: try frame.shownText(&elements, byteCountMax: 4096))
        default:
            self = .unknown(method: method, rid: rid)
        }
        try frame.end(&elements)
    }
}

extension FrameReader {
    /// A list of heads.
    @_lifetime(self: copy self)
    fileprivate mutating func heads(_ elements: inout FrameElements) throws(WireError) -> [Heads] {
        try expect(&elements)
        return try Heads.list(reading: &self)
    }

    @_lifetime(self: copy self)
    fileprivate mutating func records(_ elements: inout FrameElements) throws(WireError) -> [CellRecord] {
        try expect(&elements)
        var list = try beginArray()
        var records: [CellRecord] = []
        while next(&list) { records.append(try record()) }
        return records
    }

    @_lifetime(self: copy self)
    fileprivate mutating func digests(_ elements: inout FrameElements) throws(WireError) -> [UInt64] {
        try expect(&elements)
        var list = try beginArray()
        var digests: [UInt64] = []
        while next(&list) { digests.append(try unsigned()) }
        return digests
    }
}

extension CBORWriter {
    mutating func write(heads list: [Heads]) {
        writeArrayHead(list.count)
        for heads in list { heads.write(to: &self) }
    }
}
