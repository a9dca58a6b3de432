/// A hash of a tree whose leaves are batches: SHA-256.
///
/// A leaf and a node begin with another byte each, so that neither passes for the other.
struct SealHash: Hashable, Sendable {
    static let byteCount = SHA256.byteCount

    let bytes: [UInt8]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil unless there are 32 bytes.
    init?(encoded: Span<UInt8>) {
        guard encoded.count == SealHash.byteCount else { return nil }
        bytes = encoded.copied
    }

    /// The hash of some bytes by themselves.
    static func of(_ bytes: Span<UInt8>) -> SealHash {
        SealHash(SHA256.hash(bytes))
    }

    /// The leaf of a batch: its topic, and its frame without the seal.
    static func leaf(topic: Span<UInt8>, frame: Span<UInt8>) -> SealHash {
        // The topic's size stands before it, so that no byte of the topic passes for one of the frame.
        var head: [UInt8] = [0, UInt8(truncatingIfNeeded: topic.count >> 8), UInt8(truncatingIfNeeded: topic.count)]
        head.append(contentsOf: domain)
        return SealHash(SHA256.hash(head.span, topic, frame))
    }

    /// The node above two others.
    static func node(_ left: SealHash, _ right: SealHash) -> SealHash {
        let head: [UInt8] = [1] + domain
        return SealHash(SHA256.hash(head.span, left.bytes.span, right.bytes.span))
    }

    private static let domain = Array("modelcast batch 1".utf8)
}
