import ModelSync
import ModelWire
import Modelcast

/// What has been seen of a service's senders and streams, look by look: since when each has not been live.
///
/// The states of a sender that is gone change each time it is tried again, so their own ages do not tell.
struct HealthWatch {
    private struct Stream: Hashable {
        let origin: String
        let topic: Topic
    }

    /// Since when each sender has not been live, by its index.
    private var senders: [Int: Duration] = [:]
    private var streams: [Stream: Duration] = [:]
    /// How many holes were mended in each stream that had one.
    private var mended: [Stream: UInt64] = [:]

    /// Looks at the states at a time, which must not go back.
    /// - Returns: how long the last repair of each stream took in which one has ended since the look before.
    mutating func look(_ told: [SenderStatus], _ followed: [StreamStatus], now: Duration) -> [Duration] {
        for status in told {
            let index = status.sender.index
            senders[index] = status.state == .live ? nil : senders[index] ?? now
        }
        var current: [Stream: Duration] = [:]
        for status in followed where status.state != .live {
            let stream = Stream(origin: status.origin, topic: status.topic)
            current[stream] = streams[stream] ?? now
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

    /// The origins of which a stream has not been live for longer than that, with how many streams, by name.
    func stale(for limit: Duration, now: Duration) -> [(origin: String, streams: Int)] {
        let stale = streams.filter { now - $0.value > limit }
        return Dictionary(grouping: stale.keys, by: \.origin).map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
    }
}
