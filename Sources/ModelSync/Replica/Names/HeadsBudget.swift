import ModelWire

/// How much of one message the heads of all streams would take, if each were told at its longest.
///
/// `welcome`, `complete` and `digests` have one list of heads in one frame: for each origin its name and up to 37
/// bytes, for each topic its bytes and up to 22. A receiver cuts the connection at a frame past its limit, so with a
/// longer list nobody could join any more. Therefore a stream that does not fit is left out of the heads, and a
/// publisher makes no topic that does not fit.
///
/// Seven eighths of a frame are for the list, the rest is for the other words of the message. Streams that peers push
/// may fill three eighths, for two reasons: a peer that makes up names takes no room from the senders of this replica,
/// and the largest digests, 576 KiB of a MiB, still find room beside them. By default three eighths hold about 3,000
/// origins with a stream each where names are of 64 bytes, and about 5,000 where they are of ten.
struct HeadsBudget: Sendable {
    /// The most bytes of the whole list.
    let byteCountMax: Int
    /// The most bytes of what peers have begun by pushing.
    let pushedByteCountMax: Int
    private(set) var byteCount = 0
    private(set) var pushedByteCount = 0
    /// The streams that are told, and whether each counts as pushed.
    private(set) var streams: [StreamKey: Bool] = [:]
    private var origins: [String: Origin] = [:]
    private var topics: [Topic: Int] = [:]

    private struct Origin {
        let isPushed: Bool
        /// How many of its streams are told.
        var streamCount = 0
    }

    init(frameByteCount: Int) {
        self.init(
            byteCountMax: HeadsBudget.listByteCountMax(frameByteCount: frameByteCount),
            pushedByteCountMax: frameByteCount / 8 * 3)
    }

    init(byteCountMax: Int, pushedByteCountMax: Int) {
        self.byteCountMax = byteCountMax
        self.pushedByteCountMax = pushedByteCountMax
    }

    /// The most bytes of a frame that a list of heads may take.
    static func listByteCountMax(frameByteCount: Int) -> Int { frameByteCount - frameByteCount / 8 }

    /// The most bytes of one origin's entry without its heads.
    static func byteCount(origin: String) -> Int { 37 + origin.utf8.count }

    /// The most bytes of one head.
    static func byteCount(_ topic: Topic) -> Int { 22 + topic.bytes.count }

    func tells(_ origin: String) -> Bool { origins[origin] != nil }

    /// How many streams of the topic are told.
    func count(of topic: Topic) -> Int { topics[topic] ?? 0 }

    /// Finds room for a stream, and for its origin if that is new.
    /// - Returns: false where there is no room; then nothing has changed.
    mutating func admit(_ key: StreamKey, isPushed: Bool) -> Bool {
        guard streams[key] == nil else { return true }
        let isNew = !tells(key.origin)
        let cost = HeadsBudget.byteCount(key.topic) + (isNew ? HeadsBudget.byteCount(origin: key.origin) : 0)
        guard take(cost, isPushed: isPushed) else { return false }
        streams[key] = isPushed
        origins[key.origin, default: Origin(isPushed: isPushed)].streamCount += 1
        topics[key.topic, default: 0] += 1
        return true
    }

    /// Finds room for an origin of which nothing but its name is known.
    mutating func admit(origin: String) -> Bool {
        guard !tells(origin) else { return true }
        guard take(HeadsBudget.byteCount(origin: origin), isPushed: false) else { return false }
        origins[origin] = Origin(isPushed: false)
        return true
    }

    /// Frees the room of a stream, which is told no more, and of its origin where this was its last stream.
    /// - Returns: how many bytes have become free.
    mutating func leave(_ key: StreamKey) -> Int {
        guard let isPushed = streams.removeValue(forKey: key), var origin = origins[key.origin] else { return 0 }
        topics[key.topic] = count(of: key.topic) > 1 ? count(of: key.topic) - 1 : nil
        var freed = give(HeadsBudget.byteCount(key.topic), isPushed: isPushed)
        origin.streamCount -= 1
        origins[key.origin] = origin
        if origin.streamCount == 0 { freed += leave(origin: key.origin) }
        return freed
    }

    /// Frees the room of an origin without streams, which is told no more.
    @discardableResult
    mutating func leave(origin: String) -> Int {
        guard let told = origins[origin], told.streamCount == 0 else { return 0 }
        origins[origin] = nil
        return give(HeadsBudget.byteCount(origin: origin), isPushed: told.isPushed)
    }

    private mutating func take(_ cost: Int, isPushed: Bool) -> Bool {
        guard byteCount + cost <= byteCountMax, !isPushed || pushedByteCount + cost <= pushedByteCountMax else {
            return false
        }
        byteCount += cost
        if isPushed { pushedByteCount += cost }
        return true
    }

    private mutating func give(_ cost: Int, isPushed: Bool) -> Int {
        byteCount -= cost
        if isPushed { pushedByteCount -= cost }
        return cost
    }
}
