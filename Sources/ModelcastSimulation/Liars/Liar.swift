import ModelRecord
import ModelSync
import ModelWire

/// A publisher that makes false claims about other origins, beside what it publishes under its own name.
///
/// Where there are grants or signatures, a liar may also write batches in the name of others, and records where there
/// are grants: nothing else can tell those from true ones.
struct Liar {
    /// A kind of lie. Each liar uses some of them only, so that no lie hides another.
    enum Lie: CaseIterable {
        /// False heads of others in `heads`.
        case heads
        /// False heads of others in `complete` and `digests`.
        case cover
        /// False heads of others in `welcome`.
        case welcome
        /// Later starts of others that never were, also of the near future.
        case starts
        /// Stamps of others that lie in the future.
        case stamps
        /// Topics that nobody has.
        case topics
        /// Digests that are wrong.
        case digests
        /// Bytes that cannot be read, and replies that nobody has asked for.
        case noise
        /// No answer, or an empty one, where an honest publisher answers with an error.
        case silence
        /// Heads of its own that go back.
        case itself
    }

    /// Heads of very many topics that nobody has, all in one message.
    struct Flood {
        private(set) var generator: SeededGenerator
        /// How many more such messages there are.
        private var left: Int

        init(using generator: inout SeededGenerator) {
            left = Int.random(in: 1...2, using: &generator)
            self.generator = SeededGenerator(seed: generator.next())
        }

        /// The topics of the next message; empty where it is not time for one.
        mutating func next() -> [TopicHead] {
            guard left > 0, Int.random(in: 0..<4, using: &generator) == 0 else { return [] }
            left -= 1
            // The greater count makes more repairs due than may begin in a tick.
            let count = [40, 300].pick(&generator)
            let sequence: UInt64 = [1, 5, .max].pick(&generator)
            let first = Int.random(in: 0..<1_000, using: &generator)
            return (0..<count).map {
                TopicHead(topic: Topic.data(type: "T\(first + $0)"), sequence: sequence, digest: nil)
            }
        }
    }

    /// Heads of origins that never were. Each time that the liar tells of one, it tells of more.
    struct MadeUpOrigins {
        private var generator: SeededGenerator
        private var heads: [Heads] = []

        /// - Parameter incarnation: a plausible one.
        init(incarnation: UInt64, using generator: inout SeededGenerator) {
            for index in 0..<[1, 3, 30].pick(&generator) {
                let bucket = Int.random(in: 0..<16, using: &generator)
                let topics = ["User", "Order"].map { Topic.data(type: $0, partitions: .sixteen, bucket: bucket) }
                heads.append(
                    Heads(
                        origin: "made-up-\(index)", incarnation: incarnation + UInt64(index), stamp: incarnation,
                        heads: topics.map { TopicHead(topic: $0, sequence: 1, digest: nil) }, isRelayed: true))
            }
            self.generator = SeededGenerator(seed: generator.next())
        }

        /// The lie of this moment.
        mutating func next() -> [Heads] {
            guard Int.random(in: 0..<3, using: &generator) == 0 else { return heads }
            for index in heads.indices where Bool.random(using: &generator) {
                for head in heads[index].heads.indices {
                    heads[index].heads[head].sequence += UInt64.random(in: 0...2, using: &generator)
                }
            }
            return heads
        }
    }

    let lies: Set<Lie>
    /// The liar writes batches in the name of others, and records.
    var forgesBatches = false
    var forgesRecords = false
    /// Nil for a liar that floods nobody.
    var flood: Flood?
    /// Nil for a liar that makes up no origins.
    var madeUp: MadeUpOrigins?
    var generator: SeededGenerator

    /// - Parameter isForgetful: deleted models are forgotten while the simulation runs. A copy that is built anew then
    ///   lets go of old pushed batches that other nodes claim to hold, so the liar makes no such claims.
    init(isForgetful: Bool, using generator: inout SeededGenerator) {
        var lies = Set(Lie.allCases.filter { _ in Bool.random(using: &generator) })
        if isForgetful { lies.subtract([.cover, .noise]) }
        self.lies = lies
        self.generator = SeededGenerator(seed: generator.next())
    }

    func lies(about lie: Lie) -> Bool { lies.contains(lie) }

    /// True for a liar that may withhold its own batches from a replica that misses them.
    var isUnreliable: Bool { lies(about: .itself) || lies(about: .silence) }

    mutating func chance(_ perMille: Int) -> Bool { Int.random(in: 0..<1000, using: &generator) < perMille }

    /// False heads of another origin, made from what that origin has sent last.
    mutating func forged(_ origin: String, _ last: Oracle.LastSent, leadMilliseconds: UInt64) -> Heads {
        var incarnation = last.incarnation
        if lies(about: .starts), chance(300) {
            incarnation += UInt64.random(in: 1...max(leadMilliseconds, 1), using: &generator) << 16
        } else if chance(50) {
            incarnation -= min(incarnation, 1 << 16)
        }
        var stamp = [last.stamp, max(last.stamp, incarnation), 0].pick(&generator)
        if lies(about: .stamps), chance(400) {
            stamp = last.stamp + UInt64.random(in: 1...max(leadMilliseconds, 1), using: &generator) << 16
        }
        var heads: [TopicHead] = []
        for (topic, sequence) in last.heads.sorted(by: { $0.key.description < $1.key.description }) where chance(700) {
            let ahead = sequence + UInt64.random(in: 1...20, using: &generator)
            let told = [UInt64.max, UInt64.max - 1, 1 << 63, ahead, ahead, sequence, sequence / 2, 0].pick(&generator)
            heads.append(TopicHead(topic: topic, sequence: told, digest: digest()))
        }
        if lies(about: .topics) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let type = ["User", "Order", "Other"].pick(&generator)
                let topic = Topic.data(
                    type: type, partitions: .twoHundredFiftySix, bucket: Int.random(in: 0..<16, using: &generator))
                heads.append(TopicHead(topic: topic, sequence: [1, 5, .max].pick(&generator), digest: digest()))
            }
        }
        return Heads(
            origin: origin, incarnation: incarnation, stamp: stamp, heads: heads,
            isRelayed: Bool.random(using: &generator), hasTransactions: chance(200), mayHaveFormer: chance(200),
            ageMilliseconds: [0, 0, 50, .max].pick(&generator))
    }

    private mutating func digest() -> UInt64? {
        lies(about: .digests) ? generator.next() : nil
    }

    /// The liar's own heads, with wrong digests or lowered sequences.
    mutating func distorted(_ heads: Heads) -> Heads {
        var heads = heads
        for index in heads.heads.indices {
            if lies(about: .digests), chance(500) { heads.heads[index].digest = generator.next() }
            if lies(about: .itself), chance(200) { heads.heads[index].sequence /= 2 }
        }
        return heads
    }
}

extension Oracle {
    /// The incarnation, stamp and heads that an origin has sent last: a liar makes false heads from them.
    struct LastSent {
        var incarnation: UInt64 = 0
        var stamp: Stamp = 0
        var heads: [Topic: UInt64] = [:]
    }

    mutating func noteLast(_ batch: BatchFacts, topic: Topic) {
        var last = lastSent[batch.origin] ?? LastSent()
        if batch.incarnation > last.incarnation {
            if last.incarnation > 0 { startedAnew.insert(batch.origin) }
            last = LastSent(incarnation: batch.incarnation)
        }
        last.stamp = max(last.stamp, batch.stamp)
        last.heads[topic] = batch.sequence
        lastSent[batch.origin] = last
    }
}
