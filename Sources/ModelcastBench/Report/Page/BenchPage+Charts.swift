/// The charts of the page.
extension BenchPage {
    static func charts(_ parts: [BenchPart]) -> [String] {
        var lines: [String] = []
        for part in parts {
            let charts = charts(of: part)
            guard !charts.isEmpty else { continue }
            lines += [
                "<section>", "<h2>\(part.scenario.rawValue.escapedForHTML), in pictures</h2>", #"<div class="charts">"#,
            ]
            for chart in charts {
                lines += ["<figure>", "<figcaption>\(chart.title.escapedForHTML)</figcaption>", chart.svg]
                lines += legend(chart) + ["</figure>"]
            }
            lines += ["</div>", "</section>"]
        }
        return lines
    }

    /// One chart for each kind and title, in the order in which the curves come. Curves without points are left out.
    static func charts(of part: BenchPart) -> [LineChart] {
        var titles: [String] = []
        var kinds: [String: BenchCurve.Kind] = [:]
        var curves: [String: [BenchCurve]] = [:]
        for curve in part.curves where !curve.points.isEmpty {
            let title = curve.chart ?? curve.kind.title
            // Curves of different kinds cannot share axes.
            let key = "\(curve.kind.rawValue) \(title)"
            if curves[key] == nil {
                titles.append(key)
                kinds[key] = curve.kind
            }
            curves[key, default: []].append(curve)
        }
        return titles.compactMap { key in
            guard let kind = kinds[key], let group = curves[key] else { return nil }
            return LineChart(group.first?.chart ?? kind.title, kind, group)
        }
    }

    private static func legend(_ chart: LineChart) -> [String] {
        var lines = ["<ul>"]
        for (curve, style) in zip(chart.curves, chart.styles) {
            lines.append(
                #"<li><svg viewBox="0 0 28 8" aria-hidden="true"><path class="line c\#(style.color) d\#(style.dash)" "#
                    + #"d="M0 4H28"/></svg>\#(curve.name.escapedForHTML)</li>"#)
        }
        return lines + ["</ul>"]
    }
}

extension BenchCurve.Kind {
    /// The title of a chart that has none of its own.
    var title: String {
        switch self {
        case .latency: "Latency"
        case .throughput: "Throughput over time"
        case .memory: "Memory over time"
        }
    }
}
