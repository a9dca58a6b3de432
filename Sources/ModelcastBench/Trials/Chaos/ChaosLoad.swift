import Modelcast

/// Replaces every model of the plan, unless the publisher has kept them, then writes at random.
///
/// A publisher without a store knows nothing of what it published before it was killed. The state that all copies must
/// hold at the end is defined all the same. Each start first replaces every model that the publisher may ever write,
/// which supersedes all writes of its earlier incarnations. That part is not cut short when the load is to end.
struct ChaosLoad: Load {
    let plan: ChaosPlan

    func run(_ publisher: Publisher, gauge: LoadGauge) throws {
        if !plan.isDurable || plan.generation == 0 { try rewrite(publisher, gauge) }
        guard !gauge.isStopping else { return }
        try StressLoad(plan: plan.writes).run(publisher, gauge: gauge)
    }

    private func rewrite(_ publisher: Publisher, _ gauge: LoadGauge) throws {
        for (type, ids) in plan.writes.ids {
            for (number, id) in ids.enumerated() {
                let fields: Fields = [
                    "generation_\(plan.writes.index)": .int(Int64(plan.generation)), "number": .int(Int64(number)),
                ]
                try gauge.insist { () throws(ModelcastError) in try publisher.replace(type, id, fields) }
            }
        }
    }
}
