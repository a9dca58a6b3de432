import Foundation
package import ModelCache
package import ModelRecord

/// Writes JSON into a buffer, one line after the other.
///
/// Values without a JSON form of their own are written in these forms: a timestamp as its seconds since 1970, a UUID
/// and a URI as text, bytes as `{"$bytes": base64}`, a tagged item as `{"$tag": number, "$cbor": base64}`, a double
/// that is not finite as `{"$double": "nan"}`, `"inf"` or `"-inf"`.
package struct JSONWriter {
    /// The text so far.
    package var bytes: [UInt8] = []
    /// The form of models.
    private let form: JSONForm

    package init(_ form: JSONForm = JSONForm()) { self.form = form }

    /// Writes text that needs neither quotes nor escapes.
    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// The bytes of one value.
    static func text(of value: Value) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        return writer.bytes
    }

    package mutating func write(_ value: Value) {
        switch value {
        case .null, .undefined: append("null")
        case .bool(let value): value ? append("true") : append("false")
        case .int(let value):
            let isText = form.hasLargeIntegersAsText && value.magnitude > 1 << 53
            isText ? write(value.description) : append(value.description)
        case .double(let value), .timestamp(let value): write(value)
        case .text(let text), .uri(let text): write(text)
        case .uuid(let uuid): write(uuid.uuidString.lowercased())
        case .bytes(let content):
            append(#"{"$bytes":"#)
            write(base64: content)
            append("}")
        case .tagged(let tag, let encoded):
            append(#"{"$tag":"#)
            append(tag.description)
            append(#","$cbor":"#)
            write(base64: encoded)
            append("}")
        case .array(let elements): write(elements) { $0.write($1) }
        case .map(let map):
            append("{")
            for (index, key) in map.keys.sorted(by: Fields.precedes).enumerated() {
                if index > 0 { append(",") }
                write(key)
                append(":")
                write(map[key] ?? .null)
            }
            append("}")
        }
    }

    /// Writes an array.
    package mutating func write<Element>(_ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            body(&self, element)
        }
        append("]")
    }

    /// Writes the known fields of a model as one object, nested as ``FieldTree`` has it unless the form is flat; null
    /// for a model that does not exist.
    package mutating func write(_ record: CellRecord?) {
        guard let record, record.exists else { return append("null") }
        let form = form
        let fields = record.cells.lazy.filter { $0.value != .undefined && form.selects($0.field) }
            .map { (field: $0.field, value: $0.value) }
        guard form.isFlat else { return write(FieldTree(fields)) }
        append("{")
        for (index, (field, value)) in fields.enumerated() {
            if index > 0 { append(",") }
            write(field)
            append(":")
            write(value)
        }
        append("}")
    }

    package mutating func write(_ tree: FieldTree) {
        append("{")
        for (index, member) in tree.members.enumerated() {
            if index > 0 { append(",") }
            write(member.key)
            append(":")
            switch member.node {
            case .value(let value): write(value)
            case .object(let object): write(object)
            }
        }
        append("}")
    }

    /// Writes a text in quotes.
    package mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let content = text.utf8.span
        var index = 0
        var isPlain = true
        while index < content.count {
            let byte = content[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte >= 0x7F {
                isPlain = byte >= 0x7F && !text.unicodeScalars.contains(where: JSONWriter.isEscaped)
                break
            }
            index &+= 1
        }
        if isPlain {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars {
                if scalar.value >= 0x7F && scalar.isHidden {
                    for unit in String(scalar).utf16 { writeEscaped(unit: unit) }
                } else {
                    for byte in String(scalar).utf8 { writeEscaped(byte) }
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// JSON asks to escape the control characters of ASCII only. Other characters that control a terminal are escaped
    /// as well, which does not change the value.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isHidden || scalar == "\"" || scalar == "\\"
    }

    private mutating func writeEscaped(unit: UInt16) {
        append(#"\u"#)
        let digits = String(unit, radix: 16)
        append(String(repeating: "0", count: 4 - digits.count) + digits)
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: append(#"\n"#)
        case 0x0D: append(#"\r"#)
        case 0x09: append(#"\t"#)
        case 0..<0x20:
            append(#"\u00"#)
            let digits = String(byte, radix: 16)
            append(digits.count < 2 ? "0" + digits : digits)
        default: bytes.append(byte)
        }
    }

    private mutating func write(_ double: Double) {
        guard double.isFinite else {
            append(#"{"$double":"#)
            write(double.isNaN ? "nan" : double > 0 ? "inf" : "-inf")
            return append("}")
        }
        append(double.description)
    }

    private mutating func write(base64 content: [UInt8]) { write(Data(content).base64EncodedString()) }
}

extension JSONWriter {
    /// Writes `{"type","id","changed","old","new","origin","version"}` and a line's end. A change into which several
    /// were folded also has `"folded":true`, and a model that has ended by itself, or is
    /// back, its `"reason"`.
    package mutating func writeLine(_ change: Change) {
        open(change, changed: change.changedFields, old: change.old, new: change.new)
        append("}\n")
    }

    /// Writes the same without its closing brace, so that members can follow.
    /// - Parameters:
    ///   - changed: the fields that have changed, as far as they are written.
    ///   - old: the state before, as the reader knows it.
    ///   - new: the state after, as it is to know it.
    package mutating func open(_ change: Change, changed: [String], old: CellRecord?, new: CellRecord?) {
        begin(type: change.type, id: change.id)
        append(#","changed":"#)
        write(changed) { $0.write($1) }
        append(#","old":"#)
        write(old)
        append(#","new":"#)
        write(new)
        let version = change.version
        append(#","origin":"#)
        write(version.origin)
        append(#","version":"#)
        write(version.description)
        if change.isFolded { append(#","folded":true"#) }
        let reason = change.reason
        if [.expired, .leaseEnded, .returned, .evicted].contains(reason) {
            append(#","reason":"#)
            write(reason.rawValue)
        }
    }

    /// Writes `{"type","id","model"}` and a line's end, with `"version"` where one is given.
    package mutating func writeLine(type: String, model record: CellRecord, version: Version? = nil) {
        write(type: type, model: record, version: version)
        append("\n")
    }

    /// Writes the same without the line's end.
    package mutating func write(type: String, model record: CellRecord, version: Version? = nil) {
        begin(type: type, id: record.id)
        append(#","model":"#)
        write(record)
        if let version {
            append(#","version":"#)
            write(version.description)
        }
        append("}")
    }

    private mutating func begin(type: String, id: String) {
        append(#"{"type":"#)
        write(type)
        append(#","id":"#)
        write(id)
    }
}
