/// The topic of a message on the stream, as bytes: the first frame, which subscriptions match by prefix.
///
/// Data topics are `m/User/`, `m/User/a` or `m/User/a3`. Heads go out on `h/` and the origin. Barriers are 0xFF and
/// random bytes (protocol article, sections 1 and 4). Prefixes of topics, which requests carry, have this type too.
public struct Topic: Hashable, Sendable {
    /// The topic as it is sent.
    public let bytes: [UInt8]

    /// The longest topic; libzmq does not match longer subscriptions reliably.
    public static let byteCountMax = 199

    /// A topic of any bytes; see ``isValid``.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// The topic that carries the models of `bucket`.
    /// - Parameters:
    ///   - type: a valid name of a type (`Names.check(type:)`).
    ///   - partitions: over how many topics the models of the type are spread.
    ///   - bucket: 0 to 255 (`Fingerprint.bucket(idHash:)`).
    public static func data(type: String, partitions: Partitions = .one, bucket: Int = 0) -> Topic {
        precondition((0..<256).contains(bucket), "a bucket is 0 to 255, not \(bucket)")
        var bytes = Array("m/".utf8)
        bytes.append(contentsOf: type.utf8)
        bytes.append(UInt8(ascii: "/"))
        let digits = [bucket >> 4, bucket & 15].prefix(partitions.digitCount)
        bytes.append(contentsOf: digits.map { Topic.digits[$0] })
        return Topic(bytes: bytes)
    }

    /// The topic of the heads and the bye of an origin.
    public static func heads(origin: String) -> Topic { Topic(bytes: Array("h/\(origin)".utf8)) }

    /// The prefix of the heads of all origins, to which a replica subscribes.
    public static let headsPrefix = Topic(bytes: Array("h/".utf8))

    /// The prefix of every data topic.
    public static let dataPrefix = Topic(bytes: Array("m/".utf8))

    /// A fresh barrier: 0xFF and 16 random bytes.
    public static func barrier(using generator: inout some RandomNumberGenerator) -> Topic {
        barrier((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The barrier with these random bytes; 16 are enough to make it unique.
    public static func barrier(_ random: [UInt8]) -> Topic { Topic(bytes: [0xFF] + random) }

    /// The barrier of a subscription; nil when the subscription is for something else, or too long.
    public init?(barrier subscription: [UInt8]) {
        let topic = Topic(bytes: subscription)
        guard topic.isBarrier, topic.isValid else { return nil }
        self = topic
    }

    /// True when the topic has 1 to ``byteCountMax`` bytes.
    public var isValid: Bool { !bytes.isEmpty && bytes.count <= Topic.byteCountMax }

    /// True when the topic begins with 0xFF.
    public var isBarrier: Bool { bytes.first == 0xFF }

    static let digits = Array("0123456789abcdef".utf8)
}

extension Topic: CustomStringConvertible {
    /// The text, or the bytes in hexadecimal where they are not printable.
    public var description: String {
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), let text = String(validating: bytes, as: UTF8.self) {
            return text
        }
        return "0x"
            + bytes.map { byte in
                String(
                    [Topic.digits[Int(byte >> 4)], Topic.digits[Int(byte & 15)]].map { Character(UnicodeScalar($0)) })
            }.joined()
    }
}
