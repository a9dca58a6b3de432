/// A chart of lines with two axes, as SVG. Colours come from the style of the page around it.
struct LineChart: Sendable {
    let title: String
    let kind: BenchCurve.Kind
    let curves: [BenchCurve]
    private let x: ChartScale
    private let y: ChartScale

    /// The size of the chart in its own units; the page scales it to the room that there is.
    private static let width = 400.0
    private static let height = 264.0
    private static let left = 50.0
    private static let right = 14.0
    private static let top = 26.0
    private static let bottom = 42.0
    /// How many points of one line show their value under the pointer.
    private static let pointLimit = 120

    init(_ title: String, _ kind: BenchCurve.Kind, _ curves: [BenchCurve]) {
        (self.title, self.kind, self.curves) = (title, kind, curves)
        let (xs, ys) = (curves.flatMap { $0.points.map(\.x) }, curves.flatMap { $0.points.map(\.y) })
        switch kind {
        case .latency:
            x = ChartScale(.percentile, xs) { LineChart.percentile($0) }
            y = ChartScale(.logarithmic, ys) { LineChart.microseconds($0) }
        case .throughput:
            x = ChartScale(.linear, xs) { LineChart.plain($0) }
            y = ChartScale(.linear, ys) { LineChart.compact($0) }
        case .memory:
            x = ChartScale(.linear, xs) { LineChart.plain($0) }
            y = ChartScale(.linear, ys) { LineChart.compact($0) }
        }
    }

    /// The titles of the axes.
    private var axes: (y: String, x: String) {
        switch kind {
        case .latency: ("latency, log scale", "percentile p, log scale of 1 / (1 − p)")
        case .throughput: ("a second", "seconds since the start")
        case .memory: ("MiB resident", "seconds since the start")
        }
    }

    /// The colour and the dashes of each line. The part of its name before the first comma decides the colour.
    var styles: [(color: Int, dash: Int)] {
        var names: [String] = []
        var counts: [String: Int] = [:]
        return curves.map { curve in
            let name = curve.name.split(separator: ", ").first.map(String.init) ?? curve.name
            if !names.contains(name) { names.append(name) }
            let variant = counts[name, default: 0]
            counts[name] = variant + 1
            return (color: (names.firstIndex(of: name) ?? 0) % 6, dash: variant % 4)
        }
    }

    /// The chart as SVG.
    var svg: String {
        let names = curves.map(\.name).joined(separator: "; ")
        var lines = [
            #"<svg viewBox="0 0 \#(Int(LineChart.width)) \#(Int(LineChart.height))" role="img" "#
                + #"aria-label="\#("\(title): \(names)".escapedForHTML)">"#
        ]
        lines += grid
        for (curve, style) in zip(curves, styles) { lines += line(curve, style) }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private var grid: [String] {
        var lines: [String] = []
        let bottom = LineChart.height - LineChart.bottom
        let rightmost = LineChart.width - LineChart.right
        for tick in y.ticks {
            let place = vertical(tick.value)
            lines.append(#"<path class="grid" d="M\#(number(LineChart.left)) \#(place)H\#(number(rightmost))"/>"#)
            lines.append(label(tick.label, number(LineChart.left - 6), place, "end", shift: ".32em"))
        }
        for (index, tick) in x.ticks.enumerated() {
            let place = horizontal(tick.value)
            lines.append(#"<path class="grid" d="M\#(place) \#(number(LineChart.top))V\#(number(bottom))"/>"#)
            // Neighbouring labels must not touch, and the last one must not reach over the edge.
            guard index.isMultiple(of: x.ticks.count > 9 ? 2 : 1) else { continue }
            let isLast = index == x.ticks.count - 1
            lines.append(
                label(
                    tick.label, isLast ? number(LineChart.width - 2) : place, number(bottom + 16),
                    isLast ? "end" : "middle"))
        }
        lines.append(label(axes.y, "4", "13", "start", kind: "axis"))
        let middle = (LineChart.left + rightmost) / 2
        lines.append(label(axes.x, number(middle), number(LineChart.height - 8), "middle", kind: "axis"))
        return lines
    }

    private func label(
        _ text: String, _ x: String, _ y: String, _ anchor: String, shift: String = "0", kind: String = "tick"
    ) -> String {
        #"<text class="\#(kind)" x="\#(x)" y="\#(y)" dy="\#(shift)" text-anchor="\#(anchor)">"#
            + text.escapedForHTML + "</text>"
    }

    private func line(_ curve: BenchCurve, _ style: (color: Int, dash: Int)) -> [String] {
        let places = curve.points.map { "\(horizontal($0.x)),\(vertical($0.y))" }
        var lines: [String] = []
        if places.count > 1 {
            lines.append(
                #"<polyline class="line c\#(style.color) d\#(style.dash)" points="\#(places.joined(separator: " "))"/>"#
            )
        }
        let every = max(1, (curve.points.count + LineChart.pointLimit - 1) / LineChart.pointLimit)
        for (index, point) in curve.points.enumerated() where index.isMultiple(of: every) {
            let (x, y) = (horizontal(point.x), vertical(point.y))
            // A line of one point would not be seen, so it is drawn as a dot.
            let (kind, radius) = places.count == 1 ? ("dot c\(style.color)", 3) : ("hover", 5)
            lines.append(
                #"<circle class="\#(kind)" cx="\#(x)" cy="\#(y)" r="\#(radius)"><title>"#
                    + "\(curve.name): \(text(point))".escapedForHTML + "</title></circle>")
        }
        return lines
    }

    private func text(_ point: BenchCurve.Point) -> String {
        switch kind {
        case .latency: "p\(LineChart.trimmed(point.x, 3)) \(LineChart.microseconds(point.y))"
        case .throughput: "\(Figures.grouped(point.y))/s at \(Figures.fixed(point.x, 2)) s"
        case .memory: "\(Figures.fixed(point.y, 1)) MiB at \(Figures.fixed(point.x, 1)) s"
        }
    }

    private func horizontal(_ value: Double) -> String {
        number(LineChart.left + x.place(of: value) * (LineChart.width - LineChart.left - LineChart.right))
    }

    private func vertical(_ value: Double) -> String {
        let room = LineChart.height - LineChart.top - LineChart.bottom
        return number(LineChart.height - LineChart.bottom - y.place(of: value) * room)
    }

    private func number(_ value: Double) -> String { LineChart.trimmed(value, 1) }

    // MARK: Labels

    static func percentile(_ value: Double) -> String { trimmed(value, 3) }

    static func microseconds(_ value: Double) -> String {
        if value >= 1_000_000 { return "\(trimmed(value / 1_000_000, 2)) s" }
        return value >= 1000 ? "\(trimmed(value / 1000, 2)) ms" : "\(trimmed(value, 1)) µs"
    }

    /// 1,500,000 becomes 1.5M.
    static func compact(_ value: Double) -> String {
        if value >= 1_000_000 { return trimmed(value / 1_000_000, 2) + "M" }
        return value >= 10_000 ? trimmed(value / 1000, 1) + "k" : plain(value)
    }

    static func plain(_ value: Double) -> String { trimmed(value, 2) }

    /// A number without zeros at its end.
    private static func trimmed(_ value: Double, _ digits: Int) -> String {
        var text = Figures.fixed(value, digits).replacing(",", with: "")
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
