@_spi(CacheWriting) import ModelCache
import ModelWire

/// Names come and go, those of jobs above all. What is told of them must fit into one message, and what is kept of them
/// into memory. So the names that have been idle for longest give way: first they are told no more, then they are
/// forgotten (Repair, "Names without end"). Their models stay.
extension Replica {
    /// Whether a stream that is met is told to others.
    enum Telling {
        case told
        /// The stream is followed, and not told: other streams that are told tell the digests of its topic.
        case untold
        /// The stream is not followed: there is no room to tell it.
        case refused
    }

    /// Finds room for a stream in what is told to others; where there is none, names that have long been idle make way.
    /// - Complexity: O(1) amortised. O(*streams* · log *streams*) where other names give way, which frees an eighth of
    ///   the room for pushes, or is tried once a second.
    func findRoom(for key: StreamKey, isPushed: Bool, now: Moment) -> Telling {
        let isName = isPushed || origins[key.origin].isPushed
        if origins.limits.admits(key, isPushed: isName) { return .told }
        makeRoom(now: now)
        if origins.limits.admits(key, isPushed: isName) { return .told }
        guard isName, origins.limits.room?.count(of: key.topic) ?? 0 > 0 else {
            origins.limits.noteFull(now: now.uptimeMicroseconds)
            return .refused
        }
        return .untold
    }

    /// The refusal of a pushed batch whose stream finds no room. Names that fall idle make way in time, so the pusher
    /// is to try again, until there has been no room for long.
    func noRoom(now: Moment) -> PushArrival {
        origins.limits.isFullForLong(now: now.uptimeMicroseconds)
            ? .refused(
                .limit,
                "\(PushArrival.noRoom), and none of another type has room; use a type that is there, or larger frames")
            : .refused(.busy, "\(PushArrival.noRoom); try again in a second")
    }

    /// Tells the stream again, where there is room, because it goes on or a peer asks for it.
    func tellAgain(_ stream: StreamState, now: Moment) {
        stream.lastArrival = now.uptimeMicroseconds
        guard case .told = findRoom(for: stream.key, isPushed: false, now: now) else { return }
        stream.isUntold = false
    }

    /// Leaves the streams of names that have been idle for longest out of what is told.
    private func makeRoom(now: Moment) {
        guard let before = origins.limits.room, origins.limits.mayMakeRoom(now: now.uptimeMicroseconds) else { return }
        let idle = before.streams.keys.filter { isName($0.origin, now: now) }
            .map { (key: $0, stream: streams[$0]) }
            .filter { !($0.stream?.isMending ?? false) }
            .sorted { isIdleLonger($0, $1) }
        let wanted = before.pushedByteCountMax / 8
        var freed = 0
        for (key, stream) in idle where freed < wanted && origins.limits.room?.count(of: key.topic) ?? 0 > 1 {
            freed += origins.limits.room?.leave(key) ?? 0
            stream?.isUntold = true
            origins.limits.leavesNamesOut = true
        }
        if freed < wanted { origins.limits.restFromMakingRoom(now: now.uptimeMicroseconds) }
    }

    /// Orders streams by their last batch; a stream without one goes first.
    private func isIdleLonger(
        _ first: (key: StreamKey, stream: StreamState?), _ second: (key: StreamKey, stream: StreamState?)
    ) -> Bool {
        let times = (first.stream?.lastArrival ?? 0, second.stream?.lastArrival ?? 0)
        if times.0 != times.1 { return times.0 < times.1 }
        let stamps = (first.stream?.lastStamp ?? 0, second.stream?.lastStamp ?? 0)
        if stamps.0 != stamps.1 { return stamps.0 < stamps.1 }
        return first.key.precedes(second.key)
    }

    /// The origin is no sender itself, and either pushes its batches or is told by no sender.
    func isName(_ origin: String, now: Moment) -> Bool {
        !hears(origin) && (origins[origin].isPushed || sessions.allSatisfy { $0.ages[origin] == nil })
    }

    // MARK: Types

    /// Whether models of a type may come here: it is known, or there is room for one more.
    func hasRoom(for type: String, of source: TypeRoom.Source) -> Bool {
        origins.limits.types.contains(type) || cache.knows(type)
            || origins.limits.types.hasRoom(of: source, isShared: sessions.count > 1)
    }

    /// Takes a type in, where there is room.
    func admits(_ type: String, of source: TypeRoom.Source) -> Bool {
        guard hasRoom(for: type, of: source) else {
            noteRefused(["type": type], "use fewer types")
            return false
        }
        origins.limits.types.insert(type, of: source)
        return true
    }

    // MARK: What is forgotten

    /// Forgets the names of which nobody has told or sent anything for long, the longest idle first: an eighth of the
    /// names that may be kept.
    func forgetNames(now: Moment) {
        guard renewal == nil, groups.isEmpty, origins.limits.takeForgetting(now: now.uptimeMicroseconds) else { return }
        let quiet = streams.byOrigin.filter { isQuiet($0.key, $0.value, now: now) }
            .map { (origin: $0.key, lastArrival: $0.value.lazy.map(\.lastArrival).max() ?? 0) }
            .sorted { ($0.lastArrival, $0.origin) < ($1.lastArrival, $1.origin) }
        forget(Set(quiet.prefix(max(origins.limits.bounds.nameCount / 8, 1)).map(\.origin)))
    }

    /// No sender tells the name, nothing of it is under way, and all that came of it is merged.
    private func isQuiet(_ origin: String, _ streams: [StreamState], now: Moment) -> Bool {
        let since = now.uptimeMicroseconds.subtractingOrZero(origins.limits.bounds.quietMicroseconds)
        guard isName(origin, now: now),
            !sessions.contains(where: { $0.isSynced && $0.ages[origin].map { $0.at > since } ?? false })
        else { return false }
        return streams.allSatisfy { stream in
            (origins.limits.room == nil || stream.isUntold) && isQuiet(stream, now: now) && !stream.isListed
                && !stream.isMending && stream.claims.isEmpty && stream.claimedStart == nil
                && audits[stream.type] == nil
        }
    }

    /// No batch of the stream has come for so long that a sender which tells of it would have done so meanwhile.
    func isQuiet(_ stream: StreamState, now: Moment) -> Bool {
        now.uptimeMicroseconds.subtractingOrZero(stream.lastArrival) >= origins.limits.bounds.quietMicroseconds
    }

    private func forget(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        counters[.forgottenNames] += UInt64(names.count)
        if let stream = streams.unsettled.wholeRepair, names.contains(stream.key.origin) {
            streams.unsettled.wholeRepair = nil
        }
        for stream in streams.remove(streamsOf: names) {
            origins.limits.forgotten.note(stream)
            if let sender = stream.metAt { sessions[sender.index].budget.giveBack(stream.key) }
        }
        origins.forget(names)
        leases.forget(names)
        for index in sessions.indices {
            for name in names { sessions[index].ages[name] = nil }
            sessions[index].origins.subtract(names)
        }
    }

    /// Lowers the bounds on the names that are told and kept. For the simulator, before anything else is done.
    package func limitNames(told: Int, kept: Int, quiet: Duration) {
        if let room = origins.limits.room {
            origins.limits.room = HeadsBudget(byteCountMax: room.byteCountMax, pushedByteCountMax: told)
        }
        origins.limits.bounds.nameCount = kept
        origins.limits.bounds.quietMicroseconds = quiet.wholeMicroseconds
    }

    /// Sets a stream that was forgotten to where it stood.
    func goOn(_ stream: StreamState) {
        guard let stand = origins.limits.forgotten[stream.key] else { return }
        if stand.isPushed {
            stream.isPushed = true
            origins[stream.key.origin].isPushedHere = true
            if stand.incarnation < stream.incarnation { stream.holdsOlderIncarnation = true }
        }
        guard stand.incarnation == stream.incarnation, stand.applied > 0 else { return }
        stream.tracker.cover(through: stand.applied)
        stream.holdsUntold = true
    }

    /// Follows a stream again that was forgotten, because a peer asks for it.
    /// - Returns: nil where the stream was not forgotten, or there is no room.
    func remember(_ key: StreamKey, _ incarnation: UInt64, now: Moment) -> StreamState? {
        guard origins.limits.forgotten.applied(key, incarnation) > 0 else { return nil }
        let stream = meet(key, incarnation: incarnation, sender: nil, isPushed: true, now: now)
        stream?.lastArrival = now.uptimeMicroseconds
        return stream
    }

    /// Streams of the origin are followed.
    public func follows(_ origin: String) -> Bool { streams.follows(origin) }
}
