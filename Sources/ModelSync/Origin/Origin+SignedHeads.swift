import ModelCache
import ModelRecord
import ModelSigning
import ModelWire

/// An origin that signs its batches signs its copy, too: so who has taken a copy from somebody else finds out whether
/// it is what was written (protocol article, section 9). With every tenth heartbeat a round over all buckets begins,
/// which goes on in the next ones where the models are many.
extension Origin {
    /// Sends signed heads of the buckets whose turn it is. Call this only when no batch is open.
    /// - Parameter mayBegin: a round begins where none is under way.
    mutating func publishSignedHeads(mayBegin: Bool, now: Moment) {
        guard let sealer = signature.sealer else { return }
        if mayBegin, signature.turn == nil { signature.turn = ("", 0) }
        guard signature.turn != nil else { return }
        // Also those of which all models are deleted and forgotten.
        let sent = topics.lazy.filter { $0.head > 0 }.compactMap(\.topic.type)
        let types = Set(sent).union(cache.types).sorted()
        let snapshot = cache.snapshot()
        let topic = Topic.heads(origin: configuration.name)
        var (modelCount, frameCount, olderCount) = (0, 0, 0)
        while let turn = signature.turn, frameCount < Origin.signedFrameCountMax,
            modelCount < Origin.signedModelCountMax
        {
            guard let type = types.first(where: { $0 >= turn.type }) else {
                signature.turn = nil
                return
            }
            var told = signedHeads(of: type, from: type == turn.type ? turn.bucket : 0, now: now)
            while told.buckets.upperBound < 256, modelCount < Origin.signedModelCountMax {
                let hash = snapshot.contentHash(
                    of: type, bucket: told.buckets.upperBound, since: told.since, count: &modelCount,
                    olderCount: &olderCount)
                told.hashes += hash.bytes
            }
            publish(topic, sealer.sealed(told.encodeWithoutSeal(), on: topic.bytes))
            frameCount += 1
            let next = told.buckets.upperBound
            // Behind the last bucket comes the next type: no name lies between a type and this text.
            signature.turn = next < 256 ? (type, next) : (type + "\u{0}", 0)
        }
    }

    private mutating func signedHeads(of type: String, from bucket: Int, now: Moment) -> SignedHeads {
        let heads = topics.filter { $0.topic.type == type && $0.head > 0 }
            .map { TopicHead(topic: $0.topic, sequence: $0.head) }
        return SignedHeads(
            origin: configuration.name, incarnation: incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds), type: type,
            since: min(signature.since, incarnation), heads: heads, firstBucket: bucket,
            hashes: [])
    }

    /// After so many models the rest waits for the next heartbeat: they take about half a millisecond.
    private static let signedModelCountMax = 512
    /// How many signed heads go out with one heartbeat, of as many types.
    private static let signedFrameCountMax = 8
}
