import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Modelcast

/// The loops that are counted. Callgrind collects while it is inside one of these functions, so each stands in the
/// binary under its own name, and none calls another.
enum CountedWork {
    @inline(never)
    static func countedPublish(_ publisher: Publisher, _ load: inout BenchLoad, _ count: Int) throws -> Int {
        var published = 0
        for _ in 0..<count {
            let write = load.next()
            if case .published = try publisher.merge(
                Workload.type, load.ids[write.id], load.updates[write.fields])
            {
                published += 1
            }
        }
        return published
    }

    /// - Parameter fill: adds the writes of one call. The closure stands in another function, because the symbol of a
    ///   closure here would contain the name of this one.
    @inline(never)
    static func countedPublishBatch(
        _ publisher: Publisher, _ count: Int, _ fill: (inout Writes) throws -> Void
    ) throws -> Int {
        var published = 0
        for _ in 0..<(count / CountedLoad.batchCount) { published += try publisher.batch(fill).published }
        return published
    }

    /// Makes one frame of merges.
    @inline(never)
    static func countedOrigin(
        _ origin: inout Origin, _ load: inout BenchLoad, _ count: Int, now: Moment
    ) throws -> [OriginAction] {
        for _ in 0..<count {
            let write = load.next()
            let fields = try EncodedFields(load.updates[write.fields], limits: .default)
            _ = try origin.write(.merge, type: Workload.type, id: load.ids[write.id], fields: fields, now: now)
        }
        origin.flush()
        return origin.takeActions()
    }

    /// Makes one frame of several batches.
    @inline(never)
    static func countedOriginBatch(
        _ origin: inout Origin, _ load: inout BenchLoad, _ writes: inout WriteBatch, _ count: Int, now: Moment
    ) throws -> [OriginAction] {
        for _ in 0..<(count / CountedLoad.batchCount) {
            writes.removeAll()
            for _ in 0..<CountedLoad.batchCount {
                let write = load.next()
                try writes.append(
                    .merge, type: Workload.type, id: load.ids[write.id], fields: load.updates[write.fields])
            }
            _ = try origin.writeBatch(&writes, now: now)
        }
        origin.flush()
        return origin.takeActions()
    }

    /// Applies one frame, as it comes from the socket.
    @inline(never)
    static func countedApply(
        _ replica: Replica, _ sender: SenderID, topic: [UInt8], payload: [UInt8], now: Moment
    ) {
        replica.receiveStream(sender, topic: topic.span, payload: payload.span, now: now)
    }

    @inline(never)
    static func countedRead(_ table: ModelTable, _ ids: [String], _ numbers: inout SeededNumbers, _ count: Int) -> Int {
        var found = 0
        for _ in 0..<count where table[ids[numbers.below(ids.count)]] != nil { found += 1 }
        return found
    }

    @inline(never)
    static func countedTypedRead(
        _ cache: ModelCache, _ ids: [String], _ numbers: inout SeededNumbers, _ count: Int
    ) -> Int {
        var sum = 0
        for _ in 0..<count { sum &+= cache[lastGood: BenchUser.self, ids[numbers.below(ids.count)]]?.age ?? -1 }
        return sum
    }

    @inline(never)
    static func countedLentRead(
        _ cache: ModelCache, _ ids: [String], _ numbers: inout SeededNumbers, _ count: Int
    ) -> Int {
        var sum = 0
        for _ in 0..<count {
            let isFound = cache.withModel(lastGood: BenchUser.self, ids[numbers.below(ids.count)]) { $0.weight > 0 }
            sum &+= isFound == true ? 1 : 0
        }
        return sum
    }
}
