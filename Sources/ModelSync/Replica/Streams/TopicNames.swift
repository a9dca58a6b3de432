import ModelWire

/// The topics that the bytes of messages name, remembered from message to message: to take a name apart costs more than
/// to merge a batch of one.
struct TopicNames: Sendable {
    private(set) var recent: Topic?
    private var byBytes: [[UInt8]: Topic] = [:]

    /// How many topics are remembered. With one more all are forgotten, and parsed again.
    static let countMax = 65_536

    var count: Int { byBytes.count }

    /// The data topic of these bytes, which is remembered as ``recent`` for the next message.
    mutating func topic(_ bytes: Span<UInt8>) throws(WireError) -> Topic {
        let topic = try lookUp(bytes.copied)
        recent = topic
        return topic
    }

    private mutating func lookUp(_ bytes: [UInt8]) throws(WireError) -> Topic {
        if let topic = byBytes[bytes] { return topic }
        let topic = Topic(bytes: bytes)
        guard topic.type != nil else {
            throw WireError(.malformed, "\(bytes.count) bytes are not the name of a data topic")
        }
        if byBytes.count >= TopicNames.countMax { byBytes.removeAll() }
        byBytes[bytes] = topic
        return topic
    }
}
