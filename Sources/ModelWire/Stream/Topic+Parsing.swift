import ModelRecord

/// The parts of a topic, which tell about the messages on it.
extension Topic {
    /// The type of a data topic; nil for any other.
    public var type: String? {
        guard let end = typeEnd, isDigits(from: end + 1) else { return nil }
        return String(validating: bytes[2..<end], as: UTF8.self)
    }

    /// The buckets whose models a data topic carries; nil for any other topic.
    public var buckets: Range<Int>? {
        guard let end = typeEnd, isDigits(from: end + 1) else { return nil }
        let digits = bytes[(end + 1)...].compactMap { Topic.digits.firstIndex(of: $0) }
        switch digits.count {
        case 0: return 0..<256
        case 1: return (digits[0] << 4)..<((digits[0] + 1) << 4)
        default:
            let bucket = digits[0] << 4 | digits[1]
            return bucket..<(bucket + 1)
        }
    }

    /// The number of topics into which a data topic's type is split; nil for any other topic.
    public var partitions: Partitions? {
        guard let end = typeEnd, isDigits(from: end + 1) else { return nil }
        return Partitions.allCases.first { $0.digitCount == bytes.count - end - 1 }
    }

    /// True for a data topic that carries the models of `bucket`.
    public func covers(_ bucket: Int) -> Bool { buckets?.contains(bucket) ?? false }

    /// The origin of a topic of heads; nil for any other.
    public var headsOrigin: String? {
        guard bytes.starts(with: Topic.headsPrefix.bytes) else { return nil }
        guard Names.isOrigin(bytes.span.extracting(2..<bytes.count)) else { return nil }
        return String(validating: bytes[2...], as: UTF8.self)
    }

    /// True when a subscription to this topic matches every message on `other`.
    public func isPrefix(of other: Topic) -> Bool { other.bytes.starts(with: bytes) }

    /// True when this topic begins with `prefix`, or `prefix` with this topic: both select some topics in common.
    public func overlaps(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) || prefix.starts(with: bytes) }

    /// The place of the slash behind the type's name; nil if this does not begin like a data topic.
    private var typeEnd: Int? {
        guard bytes.starts(with: Topic.dataPrefix.bytes) else { return nil }
        guard let end = bytes[2...].firstIndex(of: UInt8(ascii: "/")), Names.isType(bytes.span.extracting(2..<end))
        else {
            return nil
        }
        return end
    }

    private func isDigits(from start: Int) -> Bool {
        bytes.count - start <= 2 && bytes[start...].allSatisfy { Topic.digits.contains($0) }
    }
}
