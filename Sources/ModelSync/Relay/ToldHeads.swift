import ModelWire

/// The heads that a relay has told last: the next heartbeat tells what has changed since, and every tenth tells all.
struct ToldHeads: Sendable {
    private struct Position: Hashable, Sendable {
        let incarnation: UInt64
        let sequence: UInt64
    }

    private var positions: [StreamKey: Position] = [:]
    private var digests: [Topic: UInt64] = [:]
    private var heartbeatCount = 0

    /// The next heartbeat tells all heads.
    var tellsAll: Bool { heartbeatCount % 10 == 0 }

    /// Forgets streams that are followed no more.
    mutating func forget(unless isFollowed: (StreamKey) -> Bool) {
        positions = positions.filter { isFollowed($0.key) }
    }

    /// Takes of all heads those that are news, in a heartbeat that tells all every one, and notes that they are told.
    /// A changed digest is told once, with one of the origins that write the topic.
    mutating func takeNews(of all: [Heads]) -> [Heads] {
        let tellsAll = tellsAll
        heartbeatCount += 1
        var isNews = all.map { heads in heads.heads.map { tellsAll || isNew($0, of: heads) } }
        var topics: Set<Topic> = []
        for (heads, isNews) in zip(all, isNews) {
            for (head, isNews) in zip(heads.heads, isNews) where isNews { topics.insert(head.topic) }
        }
        for index in all.indices {
            for (position, head) in all[index].heads.enumerated() {
                guard let digest = head.digest else {
                    if isNews[index][position] { digests[head.topic] = nil }
                    continue
                }
                if digests.updateValue(digest, forKey: head.topic) != digest, topics.insert(head.topic).inserted {
                    isNews[index][position] = true
                }
            }
        }
        return zip(all, isNews).map { heads, isNews in
            var news = heads
            news.heads = zip(heads.heads, isNews).filter(\.1).map(\.0)
            return news
        }
    }

    /// The head is not the one that was told last. Takes note that it is told now.
    private mutating func isNew(_ head: TopicHead, of heads: Heads) -> Bool {
        let key = StreamKey(origin: heads.origin, topic: head.topic)
        let position = Position(incarnation: heads.incarnation, sequence: head.sequence)
        return positions.updateValue(position, forKey: key) != position
    }
}
