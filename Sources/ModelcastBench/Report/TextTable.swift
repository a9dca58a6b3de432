/// A table in plain text: a head and rows, with columns as wide as they need to be.
public struct TextTable: Sendable {
    private var rows: [[String]]
    private let leftColumns: Set<Int>

    /// A table without rows.
    /// - Parameter leftColumns: the columns that are aligned to the left, from 0; the others are aligned to the right.
    public init(_ head: [String], left leftColumns: Set<Int> = [0]) {
        rows = [head]
        self.leftColumns = leftColumns
    }

    /// Adds a row, which may have fewer cells than the head.
    public mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, one a row, the head first.
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
