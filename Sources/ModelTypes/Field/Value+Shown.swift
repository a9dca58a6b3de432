import ModelRecord

extension Value {
    /// The value as people write it, on one line, and short however long it is: `5`, `"Ada"`, `an array of 3 values`.
    ///
    /// Words about a fault go to logs and to answers over HTTP, and a peer chooses the value.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let text): "\"\(text.shown(byteCountMax: Value.shownByteCountMax))\""
        case .bytes(let bytes): Value.counted(bytes.count, "byte", of: "data")
        case .array(let values): Value.counted(values.count, "value", of: "an array")
        case .map(let values): Value.counted(values.count, "value", of: "a map")
        case .uri(let text): "the URI \"\(text.shown(byteCountMax: Value.shownByteCountMax))\""
        case .uuid(let uuid): "the UUID \(uuid)"
        case .timestamp(let seconds): "the time \(seconds)"
        case .tagged(let tag, _): "a value of the tag \(tag)"
        case .undefined: "unknown"
        }
    }

    private static let shownByteCountMax = 80

    private static func counted(_ count: Int, _ noun: String, of whole: String) -> String {
        "\(whole) of \(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
