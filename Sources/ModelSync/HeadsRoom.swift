import ModelWire

/// How much of one message the heads of all streams would take, if each were told at its longest.
///
/// `welcome`, `complete` and `digests` have one list of heads in one frame: for each origin its name and up to 37
/// bytes, for each topic its bytes and up to 22. A list that outgrew the frame limit would be cut off by every
/// connection, and nobody could join any more. So a stream that does not fit is not followed, and an origin makes no
/// such topic.
///
/// Seven eighths of a frame are for the list, the rest for the other words of the message. What peers push may fill
/// three eighths: a peer that makes up names takes no room from those who are listened to, and the largest digests,
/// 576 KiB of a MiB, still find room beside it. By default that is room for about 3,000 origins with a stream each,
/// where names are of 64 bytes, and for about 5,000 where they are of ten.
struct HeadsRoom: Sendable {
    /// The most bytes of the whole list.
    let byteCountMax: Int
    /// The most bytes of what peers have begun by pushing.
    let pushedByteCountMax: Int
    private(set) var byteCount = 0
    private(set) var pushedByteCount = 0
    private var origins: Set<String> = []
    private var streams: Set<StreamKey> = []

    init(frameByteCount: Int) {
        byteCountMax = HeadsRoom.listByteCountMax(frameByteCount: frameByteCount)
        pushedByteCountMax = frameByteCount / 8 * 3
    }

    /// What a list of heads may take of a frame.
    static func listByteCountMax(frameByteCount: Int) -> Int { frameByteCount - frameByteCount / 8 }

    /// The most bytes of one origin's entry without its heads.
    static func byteCount(origin: String) -> Int { 37 + origin.utf8.count }

    /// The most bytes of one head.
    static func byteCount(_ topic: Topic) -> Int { 22 + topic.bytes.count }

    /// Finds room for a stream, and for its origin; for ever.
    /// - Returns: false where there is none: nothing has changed.
    mutating func admit(_ key: StreamKey, isPushed: Bool) -> Bool {
        guard !streams.contains(key) else { return true }
        let isNew = !origins.contains(key.origin)
        let cost = HeadsRoom.byteCount(key.topic) + (isNew ? HeadsRoom.byteCount(origin: key.origin) : 0)
        guard take(cost, isPushed: isPushed) else { return false }
        streams.insert(key)
        origins.insert(key.origin)
        return true
    }

    /// Finds room for an origin of which nothing but its name is known.
    mutating func admit(origin: String) -> Bool {
        guard !origins.contains(origin) else { return true }
        guard take(HeadsRoom.byteCount(origin: origin), isPushed: false) else { return false }
        origins.insert(origin)
        return true
    }

    private mutating func take(_ cost: Int, isPushed: Bool) -> Bool {
        guard byteCount + cost <= byteCountMax, !isPushed || pushedByteCount + cost <= pushedByteCountMax else {
            return false
        }
        byteCount += cost
        if isPushed { pushedByteCount += cost }
        return true
    }
}
