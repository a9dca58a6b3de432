/// How many faults of each kind have struck each kind of process.
public struct ChaosTally: Hashable, Sendable {
    private var counts: [ChaosFault: [ChaosRole: Int]] = [:]

    /// A tally with all counts at zero.
    public init() {}

    /// Counts one more fault.
    public mutating func add(_ fault: ChaosFault, to role: ChaosRole) {
        counts[fault, default: [:]][role, default: 0] += 1
    }

    /// How often a fault has struck processes of a role.
    public func count(_ fault: ChaosFault, of role: ChaosRole) -> Int { counts[fault]?[role] ?? 0 }

    /// How often a fault has struck any process.
    public func count(_ fault: ChaosFault) -> Int { counts[fault]?.values.reduce(0, +) ?? 0 }

    /// How many faults there were in all.
    public var total: Int { ChaosFault.allCases.reduce(0) { $0 + count($1) } }

    /// A row for each kind of fault, a column for each of `roles`; - for faults that cannot be injected here.
    public func table(roles: [ChaosRole], available: [ChaosFault]) -> TextTable {
        var table = TextTable(["fault"] + roles.map { "\($0.rawValue)s" } + ["all"])
        for fault in ChaosFault.allCases {
            guard available.contains(fault) else {
                table.add([fault.rawValue] + roles.map { _ in "-" } + ["skipped"])
                continue
            }
            table.add([fault.rawValue] + roles.map { "\(count(fault, of: $0))" } + ["\(count(fault))"])
        }
        table.add(
            ["all"] + roles.map { role in "\(ChaosFault.allCases.reduce(0) { $0 + count($1, of: role) })" }
                + ["\(total)"])
        return table
    }
}
