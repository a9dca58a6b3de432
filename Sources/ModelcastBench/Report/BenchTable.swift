import Foundation

/// A report as lines of text.
public struct BenchTable: Sendable {
    /// The lines, without line ends.
    public let lines: [String]

    /// The table of a report.
    public init(_ report: BenchReport) {
        var lines = BenchTable.head(report) + [""]
        if report.differences.isEmpty {
            var table = TextTable(["", "Modelcast", "baseline", "", "ratio", "mark"], left: [0, 3, 4, 5])
            for part in report.parts {
                table.add([part.scenario.rawValue])
                for figure in part.figures { table.add(BenchTable.row(figure)) }
            }
            lines += table.lines + [""]
            for note in report.parts.flatMap(\.notes) { lines += BenchTable.wrapped(note) }
            if let marks = report.marks { lines.append("Marks reached: \(marks.reached) of \(marks.count).") }
        }
        lines.append(report.verdict)
        if report.differences.isEmpty { lines.append("Compare figures of one run only, and above all the ratios.") }
        self.lines = lines
    }

    private static func head(_ report: BenchReport) -> [String] {
        let settings = report.plan.settings.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        let date = report.start.formatted(.iso8601)
        return [
            report.machine.line, "commit \(report.commit), \(date), \(Figures.grouped(report.seconds)) s",
            report.command,
        ] + wrapped("configuration: \(settings)")
    }

    private static func row(_ figure: BenchFigure) -> [String] {
        let baseline = figure.baseline
        return [
            "  \(figure.name)", figure.valueText, baseline.map { figure.unit.text($0.value) } ?? "",
            baseline?.name ?? "",
            figure.ratioText ?? "", figure.markText ?? "",
        ]
    }

    /// Breaks text into lines of at most `columns` columns. Lines after the first are indented.
    static func wrapped(_ text: String, columns: Int = 110) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = "  \(word)"
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
