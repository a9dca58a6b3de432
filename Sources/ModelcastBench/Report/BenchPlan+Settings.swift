extension BenchPlan {
    /// Every setting by its name in words, in the order of the declaration.
    public var settings: [(name: String, value: String)] {
        (Array(Mirror(reflecting: self).children) + Array(Mirror(reflecting: sizes).children)).compactMap { child in
            guard !(child.value is ScenarioSizes) else { return nil }
            return child.label.map { (BenchPlan.words($0), BenchPlan.text(child.value)) }
        }
    }

    /// `stopQueueMebibytes` becomes "stop queue mebibytes".
    private static func words(_ label: String) -> String {
        label.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : String($1) }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let scenarios as Set<BenchScenario>:
            BenchScenario.allCases.filter(scenarios.contains).map(\.rawValue).joined(separator: " ")
        case let number as Int: Figures.grouped(number)
        case let number as Double: number == number.rounded() ? Figures.grouped(number) : "\(number)"
        case let peers as BenchPeers?: peers?.description ?? "none"
        case let list as [Any]: list.map(text).joined(separator: " ")
        default: "\(value)"
        }
    }
}
