/// The kinds of frames on the stream: the first element of each.
enum FrameKind: UInt64 {
    case batch = 0
    case heads = 1
    case bye = 2
}

/// A frame on the stream, behind its topic (protocol article, section 4).
public enum StreamFrame: Sendable, Hashable {
    case heads(Heads)
    case bye(Bye)
    /// A batch, of which nothing but the kind has been read: hand the frame to a ``BatchDecoder``.
    case batch
    /// A kind that version 1 does not know: to be ignored and counted.
    case unknown(kind: UInt64)

    /// Reads a frame: any well-formed encoding, arrays of any length from the required one on.
    /// - Throws: ``WireError`` for bytes that are not a frame, or are past a limit: nothing of it can be used then.
    public init(decoding frame: Span<UInt8>, limits: WireLimits = .default) throws(WireError) {
        var reader = try FrameReader(frame, limits: limits)
        var elements = try reader.beginArray()
        let kind = try reader.unsigned(&elements)
        switch FrameKind(rawValue: kind) {
        case .batch:
            self = .batch
            return
        case .heads:
            self = .heads(try Heads(reading: &reader, behindKind: &elements))
        case .bye:
            self = .bye(try Bye(reading: &reader, behindKind: &elements))
        case nil:
            try reader.finish(&elements)
            self = .unknown(kind: kind)
        }
        try reader.expectEnd()
    }
}
