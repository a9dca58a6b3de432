public import ModelSync

/// How far the subscribers of a publisher have come, as far as they have reported.
public struct Audience: Sendable {
    /// The subscribers that have reported and were heard of within the last seconds.
    public let subscribers: [Peer]
    /// Which of them have applied everything that was published; their positions in ``subscribers``.
    let upToDate: Set<Int>

    /// How many of them are live.
    public var liveCount: Int { subscribers.count { $0.isLive } }
    /// How many of them have reported everything as applied.
    public var upToDateCount: Int { upToDate.count }
    /// Each of them has reported everything as applied. True also when there is nobody.
    public var isUpToDate: Bool { upToDate.count == subscribers.count }
    /// The names of those that have not.
    public var lagging: [String] {
        subscribers.indices.filter { !upToDate.contains($0) }.map { subscribers[$0].name }.sorted()
    }
}
