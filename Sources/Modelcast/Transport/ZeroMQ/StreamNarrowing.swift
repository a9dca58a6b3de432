import ModelGrants
import ModelSync
import ModelWire

/// The part of a stream for those who may read some types only, and all the same ones: the batches of these types,
/// heads without the others, and nothing of an origin of which they may read nothing.
struct StreamNarrowing {
    private let rights: Rights
    /// The topics of the types begin with one of these.
    private let prefixes: [[UInt8]]
    /// The origins of which these readers were told a topic. All other names but the sender's stay hidden from them.
    private var origins: Set<String> = []
    /// The name of the sender, as its own heads tell it.
    private var own: String?
    /// The barriers that were raised on this stream and not lowered, and the order in which they were.
    private var barriers: Set<[UInt8]> = []
    private var order: [[UInt8]] = []

    /// How many barriers are remembered. Each is answered as soon as the round in which it came is over.
    static let barrierCountMax = 1024
    /// How many bytes a barrier has. What is shorter matches more than one.
    private static let barrierByteCount = 17
    /// How many origins are remembered.
    private static let originCountMax = 16_384

    init(to readable: [NamePattern]) {
        var rights = Rights()
        rights.subscriptions = readable
        self.rights = rights
        prefixes = readable.map(\.topicPrefix)
    }

    /// Takes note of a subscription, or of its end. A barrier is answered where it was raised, and nowhere else.
    mutating func subscribed(to prefix: [UInt8], isNew: Bool) {
        guard prefix.first == 0xFF, prefix.count == StreamNarrowing.barrierByteCount else { return }
        guard isNew else {
            if barriers.remove(prefix) != nil { order.removeAll { $0 == prefix } }
            return
        }
        guard barriers.insert(prefix).inserted else { return }
        order.append(prefix)
        if order.count > StreamNarrowing.barrierCountMax { barriers.remove(order.removeFirst()) }
    }

    /// The payload to send in place of one; nil for nothing.
    mutating func payload(_ topic: [UInt8], _ payload: [UInt8]) -> [UInt8]? {
        if topic.first == 0xFF {
            guard barriers.contains(topic) else { return nil }
        } else if !topic.starts(with: Topic.headsPrefix.bytes) {
            return prefixes.contains { topic.starts(with: $0) } ? payload : nil
        }
        switch try? StreamFrame(decoding: payload.span) {
        case .heads(var heads):
            // A sender's own heads are its heartbeat.
            if !heads.isRelayed { own = heads.origin }
            heads.narrow(to: rights)
            if !heads.heads.isEmpty, origins.count < StreamNarrowing.originCountMax { origins.insert(heads.origin) }
            return !heads.heads.isEmpty || isKnown(heads.origin) ? heads.encode() : nil
        case .bye(let bye): return isKnown(bye.origin) ? payload : nil
        case .signedHeads(let told): return rights.mayRead(told.type) ? payload : nil
        case .batch, .unknown, nil: return nil
        }
    }

    private func isKnown(_ origin: String) -> Bool { origin == own || origins.contains(origin) }
}

extension NamePattern {
    /// The topics of all types that match begin so.
    fileprivate var topicPrefix: [UInt8] {
        isPrefix ? Topic.dataPrefix.bytes + Array(text.utf8) : Topic.data(type: text).bytes
    }
}
