import Logging
import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire
import TestSupport
import Testing

@testable import Modelcast

/// Names that make way for others leave the store as well, and their models stay.
@Suite(.timeLimit(.minutes(15))) struct ForgottenNamesTests {
    private let folder: TemporaryDirectory
    private let incarnation: UInt64 = 1_800_000_000_000 << 16

    init() throws { folder = try TemporaryDirectory() }

    private func open(_ cache: ModelCache) throws -> StoreLink {
        try StoreLink(
            path: folder.path("relay"), owner: .relay, name: "relay", prefixes: [Array("m/".utf8)], cache: cache,
            settings: .never, logger: Logger(label: "test"))
    }

    @Test func `the store forgets the names that its replica forgets, and keeps their models`() throws {
        let cache = ModelCache()
        let link = try open(cache)
        var time: UInt64 = 10_000_000
        var now: Moment { Moment(wallMilliseconds: 1_800_000_000_000 + time / 1000, uptimeMicroseconds: time) }
        let replica = Replica(configuration: ReplicaConfiguration(name: "relay"), cache: cache, now: now, seed: 1)
        replica.limitNames(told: 1000, kept: 5, quiet: .seconds(3))
        let keeper = ReplicaKeeper(link, link.takeStart(), replica: replica, logger: Logger(label: "test"))
        let topic = Topic.data(type: "User")
        for number in 0..<20 {
            var writer = BatchWriter()
            try writer.append(.merge, stamp: incarnation + 1, id: "\(number)", fields: ["a": 1])
            let batch = writer.finish(origin: "job-\(number)", incarnation: incarnation, sequence: 1)
            #expect(replica.receivePushed(topic: topic.bytes.span, payload: batch.span, now: now) == .accepted)
            keeper.persist(
                UInt64(number), topic: topic, payload: batch, origin: "job-\(number)", incarnation: incarnation,
                sequence: 1, now: now)
            time += 1_000_000
            _ = keeper.step(now: now)
        }
        #expect(!replica.follows("job-0") && replica.follows("job-19"))
        keeper.finish(now: now)
        link.close(logger: Logger(label: "test"))

        let restored = ModelCache()
        let again = try open(restored)
        let start = again.takeStart()
        #expect(restored.count(of: "User") == 20)
        let followed = Set((0..<20).map { "job-\($0)" }.filter(replica.follows))
        #expect(followed.count < 12)
        #expect(Set(start.positions.map(\.origin)) == followed)
        #expect(start.positions.allSatisfy { $0.isPushed && $0.applied == 1 })
        let pushed = start.facts.values.keys.filter { $0.hasPrefix(StoreLink.Fact.pushed) }
        #expect(pushed.count == followed.count)
        #expect(Set(start.batches.map(\.origin)).isSubset(of: followed))
        again.close(logger: Logger(label: "test"))
    }
}
