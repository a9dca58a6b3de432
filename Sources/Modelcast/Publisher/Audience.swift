public import ModelSync

/// How far the subscribers of a publisher have come, as they have reported.
public struct Audience: Sendable {
    /// The subscribers that have reported, and were heard within the last seconds.
    public let subscribers: [Peer]
    /// The positions in ``subscribers`` of those that have applied everything that was published.
    let upToDate: Set<Int>

    /// How many subscribers are live.
    public var liveCount: Int { subscribers.count { $0.isLive } }
    /// How many subscribers have reported everything as applied.
    public var upToDateCount: Int { upToDate.count }
    /// Each subscriber has reported everything as applied. True also when there are none.
    public var isUpToDate: Bool { upToDate.count == subscribers.count }
    /// The names of the subscribers that have not applied everything yet, sorted.
    public var lagging: [String] {
        subscribers.indices.filter { !upToDate.contains($0) }.map { subscribers[$0].name }.sorted()
    }
}
