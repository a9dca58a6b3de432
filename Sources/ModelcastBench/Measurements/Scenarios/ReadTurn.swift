import Dispatch
import Histogram
import Synchronization

/// A kind of reads that is measured.
struct ReadCase: Hashable {
    let models: Int
    let queues: Int
    /// True to read one percent of the ids, false to read all.
    let isHot: Bool
    let hasWriter: Bool

    var name: String {
        "\(queues) queue\(queues == 1 ? "" : "s"), \(Figures.grouped(models)) models, \(isHot ? "hot set" : "uniform")"
            + (hasWriter ? ", writer at full speed" : "")
    }

    /// How many ids are read.
    var readCount: Int { isHot ? max(1, models / 100) : models }
}

/// The reads of some queues at once, for a time.
struct ReadTurn {
    /// The rate of all queues together.
    var readsPerSecond = 0.0
    /// The time of one read. Reads are timed in batches, so that the clock takes no part in it.
    var nanoseconds = 0.0
    var missed = 0
    var writesPerSecond = 0.0
    /// The times of single reads in nanoseconds, where each was timed. They contain the clock's own time.
    var times = Histogram<UInt64>(highestTrackableValue: ReadTurn.longest)

    static let longest: UInt64 = 60_000_000_000
    /// How many reads are made between two looks at the clock.
    private static let batchCount = 32

    /// The reads of one queue.
    private struct Share {
        var count = 0
        var nanoseconds: UInt64 = 0
        var missed = 0
        var times = Histogram<UInt64>(highestTrackableValue: ReadTurn.longest)
    }

    /// Reads from all queues for a time.
    /// - Parameter timesEach: whether the clock is read before and after each read.
    static func measure(
        _ source: some ReadSource, _ ids: [String], _ one: ReadCase, seconds: Double, timesEach: Bool = false
    ) throws -> ReadTurn {
        let group = DispatchGroup()
        let isOver = Flag()
        let shares = Mutex<[Share]>([])
        let written = Mutex<Result<Int, any Error>>(.success(0))
        let writing = DispatchGroup()
        if one.hasWriter {
            let isWriting = DispatchSemaphore(value: 0)
            DispatchQueue(label: "bench-writer").async(group: writing) {
                var batches = -1
                let result = Result {
                    try source.write {
                        batches += 1
                        if batches == 1 { isWriting.signal() }
                        return isOver.isSet
                    }
                }
                written.withLock { $0 = result }
                // A writer that has failed must not keep the readers waiting.
                isWriting.signal()
            }
            // The readers start when the writer is at work.
            isWriting.wait()
        }
        let start = MonotonicClock.nanoseconds
        let end = start + UInt64(seconds * 1e9)
        for queue in 0..<one.queues {
            DispatchQueue(label: "bench-reader-\(queue)").async(group: group) {
                let seed = start &+ UInt64(queue)
                let share =
                    timesEach
                    ? timed(source, ids, one.readCount, seed: seed, until: end)
                    : counted(source, ids, one.readCount, seed: seed, until: end)
                shares.withLock { $0.append(share) }
            }
        }
        group.wait()
        let elapsed = Double(MonotonicClock.nanoseconds - start) / 1e9
        isOver.set()
        writing.wait()
        var turn = ReadTurn()
        turn.writesPerSecond = Double(try written.withLock { try $0.get() }) / elapsed
        turn.add(shares.withLock { $0 }, elapsed: elapsed)
        return turn
    }

    private mutating func add(_ shares: [Share], elapsed: Double) {
        let count = shares.reduce(0) { $0 + $1.count }
        readsPerSecond = Double(count) / elapsed
        nanoseconds = Double(shares.reduce(0) { $0 + $1.nanoseconds }) / Double(max(1, count))
        missed = shares.reduce(0) { $0 + $1.missed }
        for share in shares { times.add(share.times) }
    }

    /// Draws ids ahead and reads their texts once: a program that asks for a model has its id in the processor's cache.
    @inline(__always)
    private static func draw(
        _ ahead: inout [Int], _ numbers: inout SeededNumbers, _ ids: [String], _ readCount: Int
    ) -> UInt8 {
        var touched: UInt8 = 0
        for place in ahead.indices { ahead[place] = numbers.below(readCount) }
        for place in ahead { touched |= ids[place].utf8.first ?? 0 }
        return touched
    }

    private static func counted(
        _ source: some ReadSource, _ ids: [String], _ readCount: Int, seed: UInt64, until end: UInt64
    ) -> Share {
        var numbers = SeededNumbers(seed: seed)
        var ahead = [Int](repeating: 0, count: batchCount)
        var share = Share()
        var start: UInt64 = 0
        var byteCount = 0
        var touched: UInt8 = 0
        while start < end {
            touched |= draw(&ahead, &numbers, ids, readCount)
            start = MonotonicClock.nanoseconds
            for place in ahead {
                if let size = source.read(ids[place]) { byteCount &+= size } else { share.missed += 1 }
            }
            share.nanoseconds += MonotonicClock.nanoseconds - start
            share.count += batchCount
        }
        share.missed += used(touched, byteCount)
        return share
    }

    private static func timed(
        _ source: some ReadSource, _ ids: [String], _ readCount: Int, seed: UInt64, until end: UInt64
    ) -> Share {
        var numbers = SeededNumbers(seed: seed)
        var ahead = [Int](repeating: 0, count: batchCount)
        var share = Share()
        var start: UInt64 = 0
        var byteCount = 0
        var touched: UInt8 = 0
        while start < end {
            touched |= draw(&ahead, &numbers, ids, readCount)
            for place in ahead {
                start = MonotonicClock.nanoseconds
                let size = source.read(ids[place])
                let time = MonotonicClock.nanoseconds - start
                if let size { byteCount &+= size } else { share.missed += 1 }
                _ = share.times.record(min(max(time, 1), longest))
                share.nanoseconds += time
            }
            share.count += batchCount
        }
        share.missed += used(touched, byteCount)
        return share
    }

    /// Always 0, as ids are ASCII and sizes positive. The values are used, so that the compiler does not remove the
    /// reads.
    private static func used(_ touched: UInt8, _ byteCount: Int) -> Int { Int(touched >> 7) + (byteCount < 0 ? 1 : 0) }
}

/// A flag that is set once, and read from any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
