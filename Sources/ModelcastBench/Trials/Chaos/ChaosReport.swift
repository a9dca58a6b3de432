/// The tables of a chaos trial.
struct ChaosReport: Sendable {
    let tally: ChaosTally
    let available: [ChaosFault]
    let verdict: ChaosVerdict
    let nodes: [ChaosNode]

    /// The lines that are printed at the end.
    var lines: [String] {
        let roles = ChaosRole.allCases.filter { role in nodes.contains { $0.role == role } }
        let models = verdict.expected.reduce(0) { $0 + $1.models }
        let digest = verdict.expected.reduce(UInt64(0)) { $0 &+ (UInt64($1.digest, radix: 16) ?? 0) }
        let isEqual = verdict.isEqual(nodes)
        return tally.table(roles: roles, available: available).lines + [""] + processes.lines + [
            "",
            "the join of all publishers: \(Figures.grouped(models)) models, digest \(Digests.text(digest))",
            isEqual ? "every copy holds exactly that" : "NOT EQUAL",
        ]
    }

    /// The updates of a process; for a pusher, the models that were acknowledged.
    private func updates(of node: ChaosNode) -> String {
        node.role == .pusher
            ? Figures.grouped(node.acknowledged.count * ChaosJob.modelCount) : Figures.grouped(node.updates)
    }

    private var processes: TextTable {
        var table = TextTable([
            "process", "starts", "updates", "holes", "filled", "replayed", "snapshot", "buckets", "quarantine", "anew",
            "superseded", "silences", "stalest ms", "models", "digest", "equal",
        ])
        for node in nodes {
            let isCopy = node.role.isCopy
            func figure(_ name: String) -> String { isCopy ? Figures.grouped(node.counter(name)) : "" }
            table.add([
                node.name, "\(node.starts)", updates(of: node), figure("holes_found"),
                figure("holes_filled"), figure("holes_mended_by_replay"), figure("holes_mended_by_snapshot"),
                figure("holes_mended_by_buckets"), figure("holes_mended_by_quarantine"), figure("holes_mended_anew"),
                figure("holes_superseded"), figure("sender_timeouts"),
                isCopy ? Figures.grouped(node.stalenessMaxMilliseconds) : "",
                node.report.map { Figures.grouped($0.models) } ?? "", node.report?.digest ?? "",
                isCopy ? (verdict.isEqual(node) ? "yes" : "NO") : "",
            ])
        }
        return table
    }
}
