import ModelJSON
import ModelRecord
import Modelcast

/// A model as JSON with what is known of each of its fields: the value, who has written it, and when.
enum CellsDocument {
    /// - Returns: the document, with a line break at the end.
    static func text(_ type: String, _ record: CellRecord, _ form: JSONForm) -> [UInt8] {
        var writer = JSONWriter(form)
        writer.append(#"{"type":"#)
        writer.write(type)
        writer.append(#","id":"#)
        writer.write(record.id)
        writer.append(",\"bytes\":\(record.byteCount),\"cells\":")
        let cells = record.cells.filter { $0.value != .undefined && form.selects($0.field) }
        writer.write(cells) { writer, cell in
            writer.append(#"{"field":"#)
            writer.write(cell.field)
            writer.append(#","value":"#)
            writer.write(cell.value)
            writer.append(#","written":"#)
            writer.write(cell.version)
            writer.append("}")
        }
        writer.append(#","touched":"#)
        writer.write(record.touched)
        writer.append(#","floor":"#)
        writer.write(record.floor)
        writer.append("}\n")
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ version: Version?) {
        if let version { write(version) as Void } else { append("null") }
    }
}
