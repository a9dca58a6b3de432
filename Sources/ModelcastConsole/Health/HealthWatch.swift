import ModelSync
import ModelWire
import Modelcast

/// The senders and streams of a service, as they were seen look by look: since when each has not been live.
///
/// The states of a sender that is gone change each time it is tried again, so their own ages do not tell.
struct HealthWatch {
    private struct Stream: Hashable {
        let origin: String
        let topic: Topic
    }

    /// Whether a stream is live, and since when.
    private struct Since {
        let isLive: Bool
        let time: Duration
    }

    /// Since when each sender has not been live, by its index.
    private var senders: [Int: Duration] = [:]
    private var streams: [Stream: Since] = [:]
    /// How many holes were mended in each stream that had one.
    private var mended: [Stream: UInt64] = [:]

    /// Looks at the states at a time, which must not go back.
    /// - Returns: how long the last repair of each stream took in which one has ended since the look before.
    mutating func look(_ told: [SenderStatus], _ followed: [StreamStatus], now: Duration) -> [Duration] {
        for status in told {
            let index = status.sender.index
            senders[index] = status.state == .live ? nil : senders[index] ?? now
        }
        var current: [Stream: Since] = [:]
        for status in followed {
            let (stream, isLive) = (Stream(origin: status.origin, topic: status.topic), status.state == .live)
            let known = streams[stream].flatMap { $0.isLive == isLive ? $0 : nil }
            // A status is of a moment ago: what it says of the time before counts only where nothing is known.
            let begin = streams[stream] == nil ? max(.zero, now - status.lasted) : now
            current[stream] = known ?? Since(isLive: isLive, time: begin)
        }
        streams = current
        var (repairs, counts): ([Duration], [Stream: UInt64]) = ([], [:])
        for status in followed where status.lastRepair != nil {
            let stream = Stream(origin: status.origin, topic: status.topic)
            let count = status.holesMended.values.reduce(0, &+)
            counts[stream] = count
            if count > mended[stream] ?? 0, let repair = status.lastRepair { repairs.append(repair) }
        }
        mended = counts
        return repairs
    }

    /// For how long the sender has not been live.
    func outage(of sender: SenderStatus, now: Duration) -> Duration {
        senders[sender.sender.index].map { now - $0 } ?? .zero
    }

    /// For how long the stream has been live, or has not been.
    func lasted(_ stream: StreamStatus, now: Duration) -> Duration {
        streams[Stream(origin: stream.origin, topic: stream.topic)].map { now - $0.time } ?? .zero
    }

    /// The origins of which a stream has not been live for longer than that, with how many streams, by name.
    func stale(for limit: Duration, now: Duration) -> [(origin: String, streams: Int)] {
        let stale = streams.filter { !$0.value.isLive && now - $0.value.time > limit }
        return Dictionary(grouping: stale.keys, by: \.origin).map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
    }
}
