/// The bytes of answers that have been made and not yet taken, of each peer and of all.
///
/// Peers that do not read must not keep others from being served, however many they are, and a new peer cannot be told
/// from one that will not read. So each peer may have a small part of what is *free*. The more is held, the smaller the
/// next message is made, so the bound is not reached. While more than half is held, peers that have taken nothing for
/// three seconds are cut, those first that have taken nothing for longest: the memory of their messages is freed with
/// their connections and no sooner.
struct AnswersUnderWay: Sendable {
    /// How much may be made for a peer.
    struct Room: Sendable, Hashable {
        /// Small records are packed into messages of this size.
        var chunkByteCount: Int
        /// A message that takes more is not sent now.
        var byteCountMax: Int
    }

    private struct Load {
        var byteCount = 0
        /// The key of the peer, where it has a bound of its own.
        let key: String?
        /// When the load began, or when a message of it was taken last.
        var movedAt: UInt64
        var isCut = false
    }

    /// The bound of one key, and what is under way to all its connections.
    private struct KeyLoad {
        var byteCountMax: Int
        var byteCount = 0
    }

    /// The bound; nil for none, and then nothing is counted.
    let byteCountMax: Int?
    private(set) var byteCount = 0
    private var loads: [[UInt8]: Load] = [:]
    private var keys: [String: KeyLoad] = [:]
    private var nextLook: UInt64 = 0

    /// The part of what is free that one message takes. A peer has two messages under way, and nine while half is free.
    private static let divisor = 512
    private static let reserveCount = 8
    private static let chunkByteCountMin = 1 << 10
    private static let overhead = ReleasedMessage.overheadByteCount
    private static let stuckMicroseconds: UInt64 = 3_000_000
    private static let lookMicroseconds: UInt64 = 100_000

    init(byteCountMax: Int?) { self.byteCountMax = byteCountMax }

    /// There are keys with bounds.
    var boundsKeys: Bool { !keys.isEmpty }

    /// Nothing is under way to this peer.
    func isEmpty(for peer: [UInt8]) -> Bool { loads[peer] == nil }

    /// Whether a small message without a turn, such as an error, may be sent. A peer that reads none of them is not
    /// sent another where little is free.
    func hasRoomForMore(for peer: [UInt8]) -> Bool {
        guard let byteCountMax else { return true }
        return byteCount <= byteCountMax / 4 * 3 || loads[peer] == nil
    }

    /// Bounds what is under way to all connections of a key together. One message may leave whatever the bound.
    mutating func bound(_ key: String, to byteCountMax: Int) {
        keys[key, default: KeyLoad(byteCountMax: byteCountMax)].byteCountMax = byteCountMax
    }

    /// How much may be made for a peer now; nil for nothing.
    /// - Parameters:
    ///   - key: the key of the peer, where that has a bound.
    ///   - chunkByteCount: how many bytes a message of records takes where there is room enough.
    func room(for peer: [UInt8], of key: String? = nil, chunkByteCount: Int) -> Room? {
        guard var room = room(ofAll: chunkByteCount, for: peer) else { return nil }
        guard byteCountMax != nil, let load = key.flatMap({ keys[$0] }) else { return room }
        let left = load.byteCountMax - load.byteCount - AnswersUnderWay.overhead
        guard load.byteCount == 0 || left >= AnswersUnderWay.chunkByteCountMin else { return nil }
        room.chunkByteCount = min(room.chunkByteCount, max(left, AnswersUnderWay.chunkByteCountMin))
        if load.byteCount > 0 { room.byteCountMax = min(room.byteCountMax, left) }
        return room
    }

    private func room(ofAll chunkByteCount: Int, for peer: [UInt8]) -> Room? {
        guard let byteCountMax else { return Room(chunkByteCount: chunkByteCount, byteCountMax: .max) }
        let free = max(byteCountMax - byteCount, 0)
        // With nothing under way a message of any size may leave, whatever the bound. Otherwise a large message leaves
        // most of what is free to others.
        let largest = byteCount == 0 ? Int.max : free >= byteCountMax / 2 ? free / 4 : free / 32
        guard largest >= AnswersUnderWay.overhead else { return nil }
        let chunk = min(chunkByteCount, max(free / AnswersUnderWay.divisor, AnswersUnderWay.chunkByteCountMin), largest)
        let usual = chunk + 2 * AnswersUnderWay.overhead
        // A fast connection needs some messages in reserve, while the thread waits for its turn.
        let window = free >= byteCountMax / 2 ? AnswersUnderWay.reserveCount * usual : usual
        guard let own = loads[peer]?.byteCount else { return Room(chunkByteCount: chunk, byteCountMax: largest) }
        return own <= window ? Room(chunkByteCount: chunk, byteCountMax: min(usual, largest)) : nil
    }

    /// Counts a message that has been made.
    /// - Parameter key: the key of the peer, where that has a bound.
    mutating func add(_ byteCount: Int, for peer: [UInt8], of key: String? = nil, now: Moment) {
        guard byteCountMax != nil else { return }
        let count = byteCount + AnswersUnderWay.overhead
        self.byteCount += count
        var load = loads[peer] ?? Load(key: key, movedAt: now.uptimeMicroseconds)
        load.byteCount += count
        loads[peer] = load
        // A load keeps its key, so that what is taken off is what was added.
        if let key = load.key { keys[key]?.byteCount += count }
    }

    /// Takes off a message that has been taken.
    mutating func remove(_ departure: ReleasedMessage, now: Moment) {
        let count = departure.byteCount + AnswersUnderWay.overhead
        byteCount = max(byteCount - count, 0)
        guard var load = loads[departure.peer] else { return }
        if let key = load.key { keys[key]?.byteCount -= min(count, load.byteCount) }
        load.byteCount -= count
        load.movedAt = now.uptimeMicroseconds
        loads[departure.peer] = load.byteCount > 0 ? load : nil
    }

    /// The peers that are to be cut now, so that peers that take nothing hold no more than half. Each is returned once.
    mutating func takeStuck(now: Moment) -> [[UInt8]] {
        let time = now.uptimeMicroseconds
        guard let byteCountMax, byteCount > byteCountMax / 2, time >= nextLook else { return [] }
        nextLook = time + AnswersUnderWay.lookMicroseconds
        var excess = byteCount - byteCountMax / 2
        for load in loads.values where load.isCut { excess -= load.byteCount }
        let stuck = loads.filter { _, load in
            !load.isCut && time.subtractingOrZero(load.movedAt) >= AnswersUnderWay.stuckMicroseconds
        }
        var peers: [[UInt8]] = []
        for (peer, load) in stuck.sorted(by: { $0.value.movedAt < $1.value.movedAt }) where excess > 0 {
            excess -= load.byteCount
            loads[peer]?.isCut = true
            peers.append(peer)
        }
        return peers
    }
}
