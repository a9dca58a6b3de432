import ModelCache
import ModelJSON
import ModelRecord
import Modelcast

/// The last changes of a copy as JSON, the newest first: who has written what, when, and what it replaced.
struct HistoryDocument {
    /// The changes that are asked for, the newest first.
    struct Question {
        /// The types, ids and names that the asker may read and asks for.
        var query: ModelQuery
        /// A field that has changed; nil for any.
        var field: String?
        /// The publisher that has written the change; nil for any.
        var origin: String?
        /// Only changes before that number; nil from the newest on.
        var before: UInt64?
        /// How many changes are told at most.
        var limit: Int
    }

    /// About how many bytes end a document.
    private static let byteCountMax = 4 << 20

    private let question: Question
    private var writer: JSONWriter
    private var count = 0

    /// - Parameters:
    ///   - byteCountMax: about how many bytes may be kept.
    ///   - tellsAmount: also how many changes and bytes of all types are kept.
    ///   - isWanted: asked now and then.
    /// - Returns: the document, with a line break at the end; nil where it was not wanted any more.
    static func text(
        _ kept: ChangeHistory.Kept, _ question: Question, byteCountMax: Int, tellsAmount: Bool,
        isWanted: ScanQueue.IsWanted
    ) -> [UInt8]? {
        var document = HistoryDocument(question: question, writer: JSONWriter())
        document.writer.append(#"{"changes":["#)
        guard let next = document.writeChanges(kept, isWanted) else { return nil }
        document.writer.append("],\"next\":\(next == 0 ? "null" : "\(next)"),\"kept\":{")
        let (changes, bytes) = tellsAmount ? ("\(kept.changeCount)", "\(kept.byteCount)") : ("null", "null")
        document.writer.append("\"changes\":\(changes),\"bytes\":\(bytes),\"bytesMax\":\(byteCountMax),\"since\":")
        document.writer.write(milliseconds: kept.since)
        document.writer.append("}}\n")
        return document.writer.bytes
    }

    private init(question: Question, writer: JSONWriter) { (self.question, self.writer) = (question, writer) }

    /// - Returns: the number before which the next document begins, 0 at the end; nil where it was not wanted any more.
    private mutating func writeChanges(_ kept: ChangeHistory.Kept, _ isWanted: ScanQueue.IsWanted) -> UInt64? {
        for index in (0..<kept.entries.count).reversed() {
            let entry = kept.entries[index]
            guard entry.first < question.before ?? .max else { continue }
            guard isWanted() else { return nil }
            for position in entry.set.indices.reversed() {
                let number = entry.first + UInt64(position)
                guard number < question.before ?? .max else { continue }
                guard count < question.limit, writer.bytes.count < HistoryDocument.byteCountMax else {
                    return number + 1
                }
                write(entry.set[position], number, at: entry.time)
            }
        }
        return 0
    }

    private mutating func write(_ change: Change, _ number: UInt64, at time: UInt64) {
        let query = question.query
        guard query.selects(type: change.type), query.selects(id: change.id) else { return }
        var changed = change.changedFields
        if let field = question.field {
            guard changed.contains(where: { $0.utf8.elementsEqual(field.utf8) }) else { return }
            changed = [field]
        }
        let (old, new) = (change.old, change.new)
        let version = HistoryDocument.version(of: change, new, changed)
        guard question.origin ?? version.origin == version.origin else { return }
        // Names of fields as `changed` has them.
        var form = query.form
        (form.isFlat, form.fields) = (true, changed)
        if count > 0 { writer.append(",") }
        count += 1
        var line = JSONWriter(form)
        line.append("{\"number\":\(number),\"type\":")
        line.write(change.type)
        line.append(#","id":"#)
        line.write(change.id)
        line.append(#","reason":"#)
        line.write(change.reason.rawValue)
        line.append(#","changed":"#)
        line.write(changed) { $0.write($1) }
        line.append(#","old":"#)
        line.write(old)
        line.append(#","new":"#)
        line.write(new)
        line.append(#","written":"#)
        line.write(version)
        line.append(#","applied":"#)
        line.write(milliseconds: time)
        line.append("}")
        writer.bytes += line.bytes
    }

    /// The version of the write that has made a change. That of the model may be another: a write that comes late
    /// changes fields below it.
    private static func version(of change: Change, _ new: CellRecord?, _ changed: [String]) -> Version {
        changed.compactMap { new?.version(of: $0) }.max() ?? change.version
    }
}

extension ChangeHistory.Kept {
    /// How many changes are kept.
    var changeCount: UInt64 {
        guard let first = entries.first, let last = entries.last else { return 0 }
        return last.first + UInt64(last.set.count) - first.first
    }
}
