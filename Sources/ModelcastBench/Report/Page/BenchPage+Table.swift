/// The table of the page.
extension BenchPage {
    /// The section with the marks, which stands first; empty where no figure has a mark.
    static func marks(_ report: BenchReport) -> [String] {
        guard let marks = report.marks else { return [] }
        var lines = [
            "<section>", "<h2>Marks reached: \(marks.reached) of \(marks.count)</h2>", #"<ul class="marks">"#,
        ]
        for part in report.parts {
            for figure in part.figures where figure.mark != nil { lines += card(figure, of: part) }
        }
        return lines + ["</ul>", "</section>"]
    }

    private static func card(_ figure: BenchFigure, of part: BenchPart) -> [String] {
        let scenario = part.scenario.rawValue.escapedForHTML
        let value = figure.baseline.map { Figures.ratio($0.ratio) } ?? figure.valueText
        let beside = figure.baseline.map { "\(figure.valueText), \($0.name) \(figure.unit.text($0.value))" }
        return [
            #"<li><span class="scenario">\#(scenario)</span> <span class="name">\#(figure.name.escapedForHTML)</span>"#,
            "<strong>\(value.escapedForHTML)</strong>",
            badge(figure), beside.map { #"<span class="beside">\#($0.escapedForHTML)</span>"# } ?? "", "</li>",
        ]
    }

    /// A badge that says whether the mark is reached, in words and not by colour alone.
    private static func badge(_ figure: BenchFigure) -> String {
        guard let text = figure.markText, let isReached = figure.isReached else { return "" }
        return #"<span class="badge \#(isReached ? "good" : "bad")">\#(text.escapedForHTML)</span>"#
    }

    static func table(_ parts: [BenchPart]) -> [String] {
        var lines = ["<table>", "<thead><tr>"]
        lines += ["what", "Modelcast", "baseline", "ratio", "mark"].map { #"<th scope="col">\#($0)</th>"# }
        lines.append("</tr></thead>")
        for part in parts where !part.figures.isEmpty {
            let (name, summary) = (part.scenario.rawValue.escapedForHTML, part.scenario.summary.escapedForHTML)
            lines += [
                "<tbody>",
                #"<tr class="part"><th colspan="5" scope="rowgroup">\#(name) <span>\#(summary)</span></th></tr>"#,
            ]
            for figure in part.figures { lines.append(row(figure)) }
            lines.append("</tbody>")
        }
        return lines + ["</table>"]
    }

    private static func row(_ figure: BenchFigure) -> String {
        let baseline = figure.baseline.map { baseline in
            "\(figure.unit.text(baseline.value).escapedForHTML) <small>\(baseline.name.escapedForHTML)</small>"
        }
        let range = figure.baseline?.range.map {
            " <small>\(Figures.ratio($0.lowerBound))–\(Figures.ratio($0.upperBound))</small>"
        }
        let ratio = figure.baseline.map { Figures.ratio($0.ratio) + (range ?? "") }
        return #"<tr><th scope="row">\#(figure.name.escapedForHTML)</th>"#
            + cell("Modelcast", figure.valueText.escapedForHTML) + cell("baseline", baseline) + cell("ratio", ratio)
            + cell("mark", badge(figure)) + "</tr>"
    }

    /// A cell of the table. On a narrow screen the label stands before the value, and an empty cell is left out.
    private static func cell(_ label: String, _ html: String?) -> String {
        let html = html ?? ""
        return #"<td data-label="\#(label)"\#(html.isEmpty ? #" class="empty""# : "")>\#(html)</td>"#
    }
}
