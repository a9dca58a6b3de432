/// A table in plain text: a head, rows, columns as wide as they need to be.
public struct TextTable: Sendable {
    private var rows: [[String]]
    private let leftColumns: Set<Int>

    /// - Parameter leftColumns: which columns hold text; the others are aligned to the right.
    public init(_ head: [String], left leftColumns: Set<Int> = [0]) {
        rows = [head]
        self.leftColumns = leftColumns
    }

    public mutating func add(_ row: [String]) { rows.append(row) }

    /// One line a row, the head first.
    public var lines: [String] {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return leftColumns.contains(column) ? cell + space : space + cell
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// How figures are written.
public enum Figures {
    /// A whole number with commas: 1,234,567.
    public static func grouped(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// The same, rounded.
    public static func grouped(_ number: Double) -> String { grouped(Int(number.rounded())) }

    /// A number with some digits behind the point.
    public static func fixed(_ number: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number * scale).rounded())
        guard digits > 0 else { return grouped(scaled) }
        let rest = String(scaled.magnitude % UInt(scale))
        let sign = scaled < 0 ? "-" : ""
        return sign + grouped(scaled.magnitude / UInt(scale)) + "."
            + String(repeating: "0", count: digits - rest.count) + rest
    }

    /// Bytes as MiB.
    public static func mebibytes(_ byteCount: UInt64) -> String { "\(grouped(byteCount >> 20)) MiB" }
}
