import ModelWire
import Testing

@testable import ModelSync

/// What a relay tells of its streams with each heartbeat.
@Suite struct ToldHeadsTests {
    private static let users = Topic.data(type: "User")
    private static let orders = Topic.data(type: "Order")

    private func heads(_ origin: String, _ heads: [(Topic, UInt64, UInt64?)]) -> Heads {
        Heads(
            origin: origin, incarnation: 1, stamp: 1,
            heads: heads.map { TopicHead(topic: $0.0, sequence: $0.1, digest: $0.2) })
    }

    /// The sequences that are told, by origin.
    private func told(_ news: [Heads]) -> [String: [UInt64]] {
        Dictionary(uniqueKeysWithValues: news.map { ($0.origin, $0.heads.map(\.sequence)) })
    }

    @Test func `a head is told once, and all are in every tenth heartbeat`() {
        var heads = ToldHeads()
        let all = [self.heads("a", [(Self.users, 1, nil), (Self.orders, 7, nil)])]
        var counts: [Int] = []
        for _ in 0..<21 {
            let isFull = heads.tellsAll
            let news = heads.takeNews(of: all)
            counts.append(isFull ? -news[0].heads.count : news[0].heads.count)
        }
        // The first heartbeat behind one that tells all is the first that takes note.
        #expect(counts == [-2, 2, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2])
        let news = heads.takeNews(of: [self.heads("a", [(Self.users, 2, nil), (Self.orders, 7, nil)])])
        #expect(told(news) == ["a": [2]])
    }

    @Test func `a changed digest is told with one of the origins that write its topic`() {
        var heads = ToldHeads()
        let all = { (digest: UInt64) in ["a", "b"].map { self.heads($0, [(Self.users, 1, digest)]) } }
        for _ in 0..<2 { _ = heads.takeNews(of: all(5)) }
        let same = heads.takeNews(of: all(5))
        #expect(told(same) == ["a": [], "b": []])
        let other = heads.takeNews(of: all(6))
        #expect(told(other) == ["a": [1], "b": []])
    }

    @Test func `a stream that is followed no more is news when it comes again`() {
        var heads = ToldHeads()
        let all = [self.heads("a", [(Self.users, 1, nil), (Self.orders, 7, nil)])]
        for _ in 0..<2 { _ = heads.takeNews(of: all) }
        heads.forget { $0.topic == Self.users }
        let news = heads.takeNews(of: all)
        #expect(told(news) == ["a": [7]])
    }

    @Test func `a type in which something is missing is mute for half a minute, from the first time on`() {
        var mutes = MuteTypes()
        let isMute = { (second: UInt64, isMending: Bool) in
            mutes.isMute("User", isMending: isMending, now: second * 1_000_000)
        }
        #expect([1, 10, 30].map { isMute($0, true) } == [true, true, true])
        let later = isMute(31, true)
        #expect(!later)
        let mended = isMute(32, false)
        #expect(!mended)
        let anew = isMute(33, true)
        #expect(anew)
    }

    @Test func `a process has stood still when more time has passed between two ticks than deletes are remembered`() {
        let time = { (second: UInt64) in Moment(wallMilliseconds: 0, uptimeMicroseconds: second * 1_000_000) }
        var upkeep = Upkeep(now: time(1))
        let first = upkeep.hasStoodStill(for: .seconds(10), now: time(100))
        let inTime = upkeep.hasStoodStill(for: .seconds(10), now: time(110))
        let late = upkeep.hasStoodStill(for: .seconds(10), now: time(121))
        #expect([first, inTime, late] == [false, false, true])
        let reviews = [121, 122, 123, 124].map { upkeep.takesReview(every: .seconds(2), now: time($0)) }
        #expect(reviews == [true, false, true, false])
    }
}
