import Modelcast

/// Random writes: of a hundred about 94 merges, two replaces, two deletes and two assignments. About half go to models
/// that all publishers write.
struct StressLoad: Load {
    let plan: StressPlan

    func run(_ publisher: Publisher, gauge: LoadGauge) throws {
        var numbers = SeededNumbers(seed: UInt64(plan.index) &+ 1 &+ plan.seed)
        let shared = (0..<plan.models).map(StressPlan.sharedID)
        let own = (0..<plan.models).map { StressPlan.ownID(plan.index, $0) }
        let pace = Pace(rate: plan.rate)
        var index = 0
        var nextBeat: UInt64 = 0
        while !gauge.isStopping {
            let now = MonotonicClock.nanoseconds
            if now >= nextBeat {
                nextBeat = now + 20_000_000
                try gauge.write { () throws(ModelcastError) in
                    try publisher.merge(
                        StressPlan.beatType, StressPlan.beatID(plan.index), ["sent_at": .int(Int64(now))])
                }
            }
            // At most a thousand writes in a row, so that a load that has fallen behind still writes its beat.
            let due = min(pace.count(at: now), index + 1000)
            while index < due, !gauge.isStopping {
                let isShared = numbers.below(2) == 0
                let (type, ids) = isShared ? (StressPlan.sharedType, shared) : (StressPlan.ownType, own)
                try write(type, ids[numbers.below(plan.models)], &numbers, publisher, gauge)
                index += 1
            }
            if pace.count(at: MonotonicClock.nanoseconds) <= index {
                MonotonicClock.sleep(until: max(pace.due(index), now + 500_000))
            }
        }
    }

    private func write(
        _ type: String, _ id: String, _ numbers: inout SeededNumbers, _ publisher: Publisher, _ gauge: LoadGauge
    ) throws(ModelcastError) {
        let fields: Fields = [
            "field_\(numbers.below(6))": .int(Int64(numbers.below(1_000_000))),
            "by_\(plan.index)": .text(numbers.text(8)),
        ]
        let choice = numbers.below(100)
        try gauge.write { () throws(ModelcastError) in
            switch choice {
            case 0..<2: try publisher.delete(type, id)
            case 2..<4: try publisher.replace(type, id, fields)
            case 4..<6: try publisher.assign(type, id, fields)
            default: try publisher.merge(type, id, fields)
            }
        }
    }
}
