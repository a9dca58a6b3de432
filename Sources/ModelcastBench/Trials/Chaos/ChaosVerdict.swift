import Foundation
import Modelcast

/// The comparison of the copies at the end of a chaos trial with the join of the publishers' records.
struct ChaosVerdict: Sendable {
    /// The state of each type that every copy must hold.
    let expected: [WorkerReport.TypeState]

    /// True when the process is live and holds exactly the expected types, besides what jobs have pushed.
    func isEqual(_ node: ChaosNode) -> Bool {
        guard let report = node.report else { return false }
        return report.isLive && report.types.filter { $0.type != ChaosJob.type } == expected
    }

    /// True when every copy holds the expected types, and all copies hold the same pushed models. A pushed model that
    /// was not acknowledged may be in all copies or in none.
    func isEqual(_ nodes: [ChaosNode]) -> Bool {
        let copies = nodes.copies
        let pushed = Set(copies.map { $0.report?.types.first { $0.type == ChaosJob.type } })
        return copies.allSatisfy { isEqual($0) } && pushed.count <= 1
    }

    /// Lines for a person that say what is wrong with a process's copy.
    func complaints(about node: ChaosNode) -> [String] {
        guard let report = node.report else { return ["\(node.name): has not reported"] }
        var lines: [String] = []
        if !report.isLive { lines.append("\(node.name): is not live but \(report.state)") }
        for stream in report.heads {
            guard let known = stream.known, known > stream.sequence || stream.state != "live" else { continue }
            lines.append(
                "\(node.name): \(stream.origin) \(stream.topic) is \(stream.state ?? "unknown"), "
                    + "applied \(stream.sequence) of \(known)")
        }
        for type in Set(expected.map(\.type)).union(report.types.map(\.type)).sorted() {
            let must = expected.first { $0.type == type }
            let has = report.types.first { $0.type == type }
            guard must != has, type != ChaosJob.type else { continue }
            lines.append("\(node.name): \(type) is \(ChaosVerdict.text(has)), must be \(ChaosVerdict.text(must))")
        }
        return lines
    }

    private static func text(_ state: WorkerReport.TypeState?) -> String {
        state.map { "\(Figures.grouped($0.models)) models, digest \($0.digest)" } ?? "unknown"
    }

    /// A line for each copy about its pushed models; empty when all copies hold the same.
    func complaintsAboutPushes(_ nodes: [ChaosNode]) -> [String] {
        let held = nodes.copies.map { node in
            (name: node.name, state: node.report?.types.first { $0.type == ChaosJob.type })
        }
        guard Set(held.map(\.state)).count > 1 else { return [] }
        return held.map { "\($0.name): \(ChaosJob.type) is \(ChaosVerdict.text($0.state)), not the same everywhere" }
    }

    /// The first lines in which two files of `Worker.write` differ: `-` for lines that are expected and missing, `+`
    /// for lines that are held and not expected. Pushed models are left out, because no publisher holds them.
    static func differences(_ expected: String, _ actual: String, limit: Int) throws -> [String] {
        func lines(_ path: String) throws -> Set<Substring> {
            Set(
                try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter {
                    !$0.hasPrefix("\(ChaosJob.type)\t")
                })
        }
        let (must, has) = (try lines(expected), try lines(actual))
        let marked = must.subtracting(has).map { ($0, "-") } + has.subtracting(must).map { ($0, "+") }
        let sorted = marked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        return sorted.prefix(limit).map { "\($0.1) \($0.0)" }
            + (sorted.count > limit ? ["… \(Figures.grouped(sorted.count)) lines differ in all"] : [])
    }
}
