import Foundation
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Testing

struct HitRateTests {
    /// Draws numbers below `count` of which the k-th is 1/k as frequent as the first.
    private struct Zipf {
        private let sums: [Double]

        init(_ count: Int, exponent: Double) {
            var sum = 0.0
            var sums: [Double] = []
            for rank in 1...count {
                sum += 1 / pow(Double(rank), exponent)
                sums.append(sum)
            }
            self.sums = sums
        }

        func next(_ generator: inout SeededGenerator) -> Int {
            let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// The share of reads that an exact LRU of so many models answers, by the times of their last uses.
    private static func exactRate(_ reads: [Int], room: Int) -> Double {
        var uses: [Int: Int] = [:]
        var order: [Int: Int] = [:]
        var oldest = 0
        var hits = 0
        for (time, id) in reads.enumerated() {
            if let last = uses[id] {
                hits += 1
                order[last] = nil
            } else if uses.count == room {
                while order[oldest] == nil { oldest += 1 }
                if let victim = order.removeValue(forKey: oldest) { uses[victim] = nil }
            }
            uses[id] = time
            order[time] = id
        }
        return Double(hits) / Double(reads.count)
    }

    private static func ownRate(_ reads: [Int], room: Int) -> Double {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: room)]))
        let table = cache.table("User")
        var hits = 0
        for (time, id) in reads.enumerated() {
            if table["\(id)"] != nil {
                hits += 1
            } else if cache.presence(of: "User", "\(id)") == .evicted {
                cache.beginArrivals(["\(id)"], type: "User")
                cache.keepArriving([CellRecord.of("\(id)", ["a": 1], at: 1)], type: "User")
                cache.commit { $0.endArrivals(["\(id)"], type: "User") }
            } else {
                cache.commit("User", "\(id)", ["a": 1], at: 1)
            }
            cache.enforceLimits(now: UInt64(time + 1))
        }
        return Double(hits) / Double(reads.count)
    }

    @Test(arguments: [0.8, 1.0, 1.2])
    func `on a Zipf load a copy hits as often as exact LRU would, but for two points`(_ exponent: Double) {
        var generator = SeededGenerator(seed: 7)
        let zipf = Zipf(5_000, exponent: exponent)
        let reads = (0..<30_000).map { _ in zipf.next(&generator) }
        for room in [50, 500, 1_500] {
            let (own, exact) = (HitRateTests.ownRate(reads, room: room), HitRateTests.exactRate(reads, room: room))
            #expect(own > exact - 0.02, "\(own) of \(exact) with room for \(room)")
        }
    }
}
