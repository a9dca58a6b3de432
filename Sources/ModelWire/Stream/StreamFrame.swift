/// The kinds of frames on the stream: the first element of each.
enum FrameKind: UInt64 {
    case batch = 0
    case heads = 1
    case bye = 2
    case signedHeads = 3
}

/// A frame on the stream, behind its topic (protocol article, section 4).
public enum StreamFrame: Sendable, Hashable {
    /// The heads of an origin.
    case heads(Heads)
    /// The end of an origin that stops in good order.
    case bye(Bye)
    /// The heads and hashes of an origin's copy, as it signs them.
    case signedHeads(SignedHeads)
    /// A batch, of which only the kind has been read: a ``BatchDecoder`` reads the frame.
    case batch
    /// A kind that version 1 does not know; the receiver ignores and counts it.
    case unknown(kind: UInt64)

    /// Reads a frame in any well-formed encoding. Elements that an array has beyond the known ones are ignored.
    /// - Throws: ``WireError`` for bytes that are not a frame, or are past a limit.
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
        case .signedHeads:
            self = .signedHeads(try SignedHeads(reading: &reader, behindKind: &elements))
        case nil:
            try reader.finish(&elements)
            self = .unknown(kind: kind)
        }
        try reader.expectEnd()
    }
}
