import ZeroMQ

/// How much the connections of a stream send, by the count of the system, and how much of it the owner of the stream
/// has not worked off: which of them send more than subscriptions need.
///
/// Each connection has a level that rises with what it sends, and sinks with time: that bounds one connection. All
/// together are bounded by the backlog, which is what has come since the owner last had nothing more to take. Any
/// number of subscribers may come at once as long as the owner keeps up with them. Where it does not, those that have
/// sent half of the backlog are ended, and nobody new comes in until it has caught up. If the others go on, half as
/// much is enough to end half of those, and so on: so the backlog stays within twice its bound, and of many honest
/// subscribers some get through each time.
struct SubscriptionIntake {
    private struct Flow {
        let connection: Connection
        /// The bytes that were taken from it until the last look.
        var taken: UInt64 = 0
        var level: UInt64 = 0
        /// The part of the backlog that it has sent.
        var backlog: UInt64 = 0
    }

    private var flows: [Int32: Flow] = [:]
    /// The connections that came while the owner was behind.
    private var refused: [Connection] = []
    private var lastLook: UInt64 = 0
    private var backlog: UInt64 = 0
    /// The number of times at which the owner had nothing more to take, as of the last look.
    private var lastTurn: UInt64 = 0
    /// How often the backlog was too great since then.
    private var excessCount = 0
    /// When to look next, in microseconds; `UInt64.max` where nobody is connected.
    private(set) var nextLook = UInt64.max

    /// The most bytes of one connection: 8,192 subscriptions of 256 KiB, with the frames and keys of ZMTP.
    private static let byteCountMax: UInt64 = 640 << 10
    /// How much the level of a connection sinks in a second.
    private static let sinkPerSecond: UInt64 = 16 << 10
    /// The greatest backlog: so many bytes, and more for each connection. A subscriber begins with some hundred, or
    /// with some thousand where it takes single buckets.
    private static let backlogMax: (all: UInt64, each: UInt64) = (1 << 20, 4 << 10)
    /// The least that is too much, however often it was.
    private static let backlogMin: UInt64 = 32 << 10
    /// The pause between two looks where little comes, and where much does.
    private static let lookMicroseconds: (quiet: UInt64, busy: UInt64) = (50_000, 5_000)
    /// More than this since the last look is much.
    private static let newsMax: UInt64 = 16 << 10
    /// A look at so many connections may take place once in that time; at more it is put off.
    private static let lookCount = 256

    /// The owner has more to take than it may have, or had, and has not caught up since.
    private var isBehind: Bool { excessCount > 0 }

    /// Notes a connection that has come or gone.
    mutating func note(_ event: SocketEvent, at time: UInt64) {
        guard let descriptor = event.descriptor else { return }
        flows[descriptor] = nil
        guard event.kind == .accepted, let connection = Connection(descriptor: descriptor) else { return }
        add(connection, at: time)
    }

    /// Adds a connection.
    mutating func add(_ connection: Connection, at time: UInt64) {
        if isBehind { refused.append(connection) } else { flows[connection.descriptor] = Flow(connection: connection) }
        nextLook = min(nextLook, time + SubscriptionIntake.lookMicroseconds.busy)
    }

    /// The connections that are to be ended.
    /// - Parameters:
    ///   - turn: how often the owner has had nothing more to take.
    ///   - taken: how many bytes were read from a connection so far.
    mutating func look(
        at time: UInt64, turn: UInt64, taken: (Connection) -> UInt64 = { $0.takenByteCount }
    ) -> [Connection] {
        guard time >= nextLook else { return [] }
        if turn != lastTurn { beginTurn(turn) }
        let sink = SubscriptionIntake.sinkPerSecond * min(time - lastLook, 60_000_000) / 1_000_000
        lastLook = time
        var news: UInt64 = 0
        for (descriptor, flow) in flows {
            let count = taken(flow.connection)
            // Where nothing is told any more the connection has gone, and an event will say so.
            let more = count > flow.taken ? count - flow.taken : 0
            flows[descriptor]?.taken = max(count, flow.taken)
            flows[descriptor]?.level = (flow.level > sink ? flow.level - sink : 0) + more
            flows[descriptor]?.backlog += more
            news += more
        }
        backlog += news
        let ended = excess()
        for flow in ended { flows[flow.connection.descriptor] = nil }
        let pause = SubscriptionIntake.lookMicroseconds
        nextLook =
            flows.isEmpty && !isBehind
            ? .max
            : time + (news > SubscriptionIntake.newsMax || isBehind ? pause.busy : pause.quiet)
                * UInt64(1 + flows.count / SubscriptionIntake.lookCount)
        defer { refused = [] }
        return refused + ended.map(\.connection)
    }

    /// The owner had nothing more to take, so nothing of what came before is waiting.
    private mutating func beginTurn(_ turn: UInt64) {
        (lastTurn, excessCount) = (turn, 0)
        forgetBacklog()
    }

    private mutating func forgetBacklog() {
        backlog = 0
        for descriptor in flows.keys { flows[descriptor]?.backlog = 0 }
    }

    private mutating func excess() -> [Flow] {
        let bound = SubscriptionIntake.backlogMax
        let byteCountMax = (bound.all + bound.each * UInt64(flows.count)) >> UInt64(excessCount)
        guard backlog > max(byteCountMax, SubscriptionIntake.backlogMin) else {
            return flows.values.filter { $0.level > SubscriptionIntake.byteCountMax }
        }
        excessCount += 1
        var (ended, left) = ([Flow](), backlog / 2)
        for flow in flows.values.sorted(by: { $0.backlog > $1.backlog }) where left > 0 {
            left -= min(left, flow.backlog)
            ended.append(flow)
        }
        forgetBacklog()
        return ended
    }
}
