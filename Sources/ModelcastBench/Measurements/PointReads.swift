import Foundation
import Modelcast

/// Reads of single random models by one thread.
struct PointReads: Sendable {
    let perSecond: Double
    /// The processor time of one read on this thread.
    let processorNanoseconds: Double
    let missed: Int

    /// Reads for a time.
    ///
    /// Ids are drawn ahead and their texts read once, as in ``BenchLoad``: a program that asks for a model has its id
    /// in the processor's cache.
    /// - Parameter decoding: also decodes one field of each record.
    static func measure(
        _ table: ModelTable, _ ids: [String], seed: UInt64, seconds: Double, decoding: Bool
    ) -> PointReads {
        var numbers = SeededNumbers(seed: seed)
        var ahead = [Int](repeating: 0, count: 32)
        var touched: UInt8 = 0
        var count = 0
        var found = 0
        let start = MonotonicClock.nanoseconds
        let processorStart = ProcessFigures.threadProcessorSeconds
        let end = start + UInt64(seconds * 1e9)
        while MonotonicClock.nanoseconds < end {
            for place in ahead.indices { ahead[place] = numbers.below(ids.count) }
            for place in ahead { touched ^= ids[place].utf8.first ?? 0 }
            for place in ahead {
                let record = table[ids[place]]
                if decoding {
                    if record?["mail_address"]?.textValue != nil { found += 1 }
                } else if record != nil {
                    found += 1
                }
            }
            count += ahead.count
        }
        let elapsed = Double(MonotonicClock.nanoseconds - start) / 1e9
        let processor = ProcessFigures.threadProcessorSeconds - processorStart
        // Every byte of an id is below 0x80, so this adds 0. The bytes are used, so that the compiler does not remove
        // reading them.
        let missed = count - found + Int(touched >> 7)
        return PointReads(
            perSecond: Double(count) / elapsed, processorNanoseconds: processor * 1e9 / Double(count), missed: missed)
    }
}
