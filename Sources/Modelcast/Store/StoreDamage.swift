import ModelRecord
import ModelStore

/// The damage that was found in a store, and the types of which something may be missing.
struct StoreDamage: CustomStringConvertible {
    /// The damage to the file as a whole. Each entry may have taken any part.
    var structure: [String] = []
    /// Facts are damaged: the age of the records, and the selection that they belong to, may be unknown.
    var hasFacts = false
    private var recordCount = 0
    private var records: [RecordsReport.Dropped] = []
    private var rows: [DamagedRow] = []
    /// The types of which something is missing; an empty name where the type is not known.
    private var types: Set<String> = []

    private static let exampleCount = 10

    var isEmpty: Bool { structure.isEmpty && !hasFacts && recordCount == 0 && rows.isEmpty }

    /// Any part of the store may be missing.
    var isEverything: Bool { !structure.isEmpty }

    /// Something of this type may be missing. A nil type stands for an unknown one.
    func concerns(_ type: String?) -> Bool {
        guard let type else { return true }
        return isEverything || hasFacts || types.contains("") || types.contains(type)
    }

    mutating func add(_ report: RecordsReport) {
        recordCount += report.droppedCount
        records += report.dropped.prefix(StoreDamage.exampleCount - records.count)
        types.formUnion(report.droppedTypes)
    }

    mutating func add(_ damaged: [DamagedRow]) {
        rows += damaged
        for row in damaged {
            switch row.table {
            // The records of this type cannot be assigned to it.
            case .type: types.insert("")
            case .batch: types.insert(row.type ?? "")
            // A stream without a position is fetched as a whole.
            case .head, .origin, .fact: break
            }
        }
    }

    /// Words for the damage to a file that was set aside as a whole, as nothing of it could be read.
    /// - Parameter lost: what the mark of the file tells; nil where there is none.
    static func everything(_ lost: LostCommits?) -> String {
        lost.map { "everything that it held: \($0)" }
            ?? "everything that it held is gone; its mark, which would tell the commits and their time, cannot be read"
    }

    // Keys are what is left of damaged rows, and may be anything, so they are shown like the text of a stranger.
    var description: String {
        var parts = structure
        if recordCount > 0 {
            let examples = records.map { "\(($0.type ?? "?").shown()) \($0.id.shown()) (\($0.reason))" }
            let more = recordCount > examples.count ? ", …" : ""
            let name = recordCount == 1 ? "model" : "models"
            parts.append("\(recordCount) \(name): \(examples.joined(separator: ", "))\(more)")
        }
        for (table, rows) in Dictionary(grouping: rows, by: \.table).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let name =
                switch (table, rows.count) {
                case (.batch, 1): "batch that was pushed or about to be sent"
                case (.batch, _): "batches that were pushed or about to be sent"
                case (_, 1): "\(table.rawValue) row"
                default: "\(table.rawValue) rows"
                }
            let more = rows.count > StoreDamage.exampleCount ? ", …" : ""
            let examples = rows.prefix(StoreDamage.exampleCount).map { $0.key.shown() }.joined(separator: ", ")
            parts.append("\(rows.count) \(name): \(examples)\(more)")
        }
        return parts.joined(separator: "; ")
    }
}
