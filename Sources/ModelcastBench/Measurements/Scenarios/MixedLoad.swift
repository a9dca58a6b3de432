import Modelcast

/// Writes of all kinds at a steady rate. Orders and quotes are merged, replaced and deleted. An account and a position
/// are written together, in transactions that give both the same total.
struct MixedLoad {
    static let order = "MixedOrder"
    static let quote = "MixedQuote"
    static let account = "MixedAccount"
    static let position = "MixedPosition"
    static let types = [order, quote, account, position]

    /// How many models each type has.
    let count: Int

    /// - Parameter models: how many models all types have together.
    init(models: Int) { count = max(1, models / MixedLoad.types.count) }

    static func id(_ number: Int) -> String { NumberedModels.id(number) }

    func fill(_ publisher: Publisher) throws -> BenchReply {
        var numbers = SeededNumbers(seed: 41)
        for number in 0..<count {
            let id = MixedLoad.id(number)
            for type in [MixedLoad.order, MixedLoad.quote] {
                _ = try publisher.insisting { try publisher.merge(type, id, Workload.whole(&numbers)) }
            }
            _ = try publisher.insisting { try writePair(publisher, id, total: 0, due: 0) }
        }
        return .filled
    }

    /// Writes for a time. Each write but a delete carries the time at which it was due.
    func write(_ publisher: Publisher, _ rate: Double, seconds: Double) throws -> MixedWrites {
        var numbers = SeededNumbers(seed: MonotonicClock.nanoseconds)
        var writes = MixedWrites()
        var total: Int64 = 0
        let start = MonotonicClock.nanoseconds
        try Pace(rate: rate, start: start).forEachDue(max(1, Int(rate * seconds))) { due in
            let id = MixedLoad.id(numbers.below(count))
            let type = numbers.below(2) == 0 ? MixedLoad.order : MixedLoad.quote
            switch numbers.below(100) {
            case ..<60:
                writes.backPressured += try publisher.insisting {
                    try publisher.merge(type, id, fields(&numbers, 2, due))
                }.retries
                writes.merges += 1
            case ..<75:
                writes.backPressured += try publisher.insisting {
                    try publisher.replace(type, id, fields(&numbers, 5, due))
                }.retries
                writes.replaces += 1
            case ..<85:
                writes.backPressured += try publisher.insisting { try publisher.delete(type, id) }.retries
                writes.deletes += 1
            default:
                total += 1
                writes.backPressured += try publisher.insisting {
                    try writePair(publisher, id, total: total, due: due)
                }.retries
                writes.transactions += 1
            }
        }
        writes.seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        return writes
    }

    private func writePair(_ publisher: Publisher, _ id: String, total: Int64, due: UInt64) throws -> PublishOutcome {
        try publisher.transaction { writes in
            for type in [MixedLoad.account, MixedLoad.position] {
                try writes.merge(type, id, ["total": .int(total), "due_at": .int(Int64(due))])
            }
        }
    }

    private func fields(_ numbers: inout SeededNumbers, _ count: Int, _ due: UInt64) -> Fields {
        var fields: Fields = ["due_at": .int(Int64(due))]
        let first = numbers.below(10)
        for offset in 0..<count { fields[Workload.fieldNames[(first + offset) % 10]] = .text(numbers.text(10)) }
        return fields
    }
}
