import ModelCBOR
public import ModelRecord

/// The heads of an origin's topics of one type, and hashes of what some buckets of its copy hold then, as it signs them
/// (protocol article, section 9). The seal, which ends the frame like that of a batch, is read and made elsewhere.
public struct SignedHeads: Sendable, Hashable {
    /// The name of the origin.
    public var origin: String
    /// The origin's start.
    public var incarnation: UInt64
    /// The origin's hybrid clock.
    public var stamp: Stamp
    /// The type.
    public var type: String
    /// The stamp before which writes are in no hash: an earlier start made them, and the origin may have lost them.
    public var since: Stamp
    /// The heads of all topics of the type on which the origin has sent, without digests. Decoded ones are in the order
    /// of the encoded topics.
    public var heads: [TopicHead]
    /// The first of the buckets whose hashes follow.
    public var firstBucket: Int
    /// The hash of each bucket's content, 32 bytes one behind the other.
    public var hashes: [UInt8]

    /// How many bytes a hash has.
    public static let hashByteCount = 32

    /// Heads of the topics of `type`, and hashes of its buckets from `firstBucket` on.
    public init(
        origin: String, incarnation: UInt64, stamp: Stamp, type: String, since: Stamp, heads: [TopicHead],
        firstBucket: Int, hashes: [UInt8]
    ) {
        (self.origin, self.incarnation, self.stamp) = (origin, incarnation, stamp)
        (self.type, self.since, self.heads) = (type, since, heads)
        (self.firstBucket, self.hashes) = (firstBucket, hashes)
    }

    /// The buckets whose hashes are told.
    public var buckets: Range<Int> { firstBucket..<firstBucket + hashes.count / SignedHeads.hashByteCount }

    /// The hash of one of ``buckets``.
    public func hash(of bucket: Int) -> [UInt8] {
        let start = (bucket - firstBucket) * SignedHeads.hashByteCount
        return Array(hashes[start..<start + SignedHeads.hashByteCount])
    }

    /// The frame `[3, origin, incarnation, stamp, type, since, heads, first bucket, hashes, seal]` up to its seal.
    public func encodeWithoutSeal() -> [UInt8] {
        var writer = CBORWriter(reserving: 128 + hashes.count + heads.reduce(0) { $0 + $1.topic.bytes.count + 12 })
        writer.writeArrayHead(10)
        writer.write(unsigned: FrameKind.signedHeads.rawValue)
        writer.write(text: origin)
        writer.write(unsigned: incarnation)
        writer.write(unsigned: stamp)
        writer.write(text: type)
        writer.write(unsigned: since)
        let sorted = TopicHead.sorted(heads)
        writer.writeMapHead(sorted.count)
        for head in sorted {
            writer.write(byteString: head.topic.bytes)
            writer.write(unsigned: head.sequence)
        }
        writer.write(unsigned: UInt64(firstBucket))
        writer.write(byteString: hashes)
        return writer.bytes
    }

    /// Reads the elements that follow the kind.
    init(reading frame: inout FrameReader, behindKind elements: inout FrameElements) throws(WireError) {
        origin = try frame.origin(&elements)
        incarnation = try frame.unsigned(&elements)
        stamp = try frame.unsigned(&elements)
        type = try frame.type(&elements)
        since = try frame.unsigned(&elements)
        try frame.expect(&elements)
        heads = try SignedHeads.heads(reading: &frame)
        let start = frame.offset
        let first = try frame.unsigned(&elements)
        hashes = try frame.byteString(&elements, byteCountMax: 256 * SignedHeads.hashByteCount)
        let count = hashes.count / SignedHeads.hashByteCount
        guard hashes.count % SignedHeads.hashByteCount == 0, first < 256, Int(first) + count <= 256 else {
            throw WireError(.malformed, "not the hashes of 256 buckets at most", at: start)
        }
        firstBucket = Int(first)
        try frame.finish(&elements)
    }

    /// How many topics one type can have: whole, in sixteen and in 256 parts.
    static let topicCountMax = 1 + 16 + 256

    private static func heads(reading frame: inout FrameReader) throws(WireError) -> [TopicHead] {
        var pairs = try frame.beginMap()
        let start = frame.offset
        var heads: [TopicHead] = []
        while frame.next(&pairs) {
            guard heads.count < topicCountMax else {
                throw WireError(.limit, "more than \(topicCountMax) topics of one type", at: frame.offset)
            }
            let topic = try frame.topic()
            heads.append(TopicHead(topic: topic, sequence: try frame.unsigned()))
        }
        return try TopicHead.sortedOnce(heads, at: start)
    }
}
