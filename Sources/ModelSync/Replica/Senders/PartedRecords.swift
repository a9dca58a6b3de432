public import ModelRecord

/// Puts the records together that come in parts, for each request, so that no reader sees one half of a model.
///
/// Holds at most 64 MiB of one record. Past that its parts are handed on as they come: each part is a record, too.
public struct PartedRecords: Sendable {
    /// A record whose last part is not here.
    private struct Open {
        let type: String
        var parts: [CellRecord]
        var byteCount: Int
    }

    private var open: [UInt64: Open] = [:]

    private static let byteCountMax = 64 << 20

    /// Holds no parts.
    public init() {}

    /// Takes what one message of a request has brought.
    /// - Parameter goesOn: the only record is a part, and the next message has more of it.
    /// - Returns: the records that are whole, in order.
    public mutating func take(
        _ rid: UInt64, type: String, _ records: [CellRecord], goesOn: Bool
    ) -> [(type: String, records: [CellRecord])] {
        guard goesOn || open[rid] != nil else { return records.isEmpty ? [] : [(type, records)] }
        var whole: [(type: String, records: [CellRecord])] = []
        var records = records
        if var begun = open.removeValue(forKey: rid) {
            if let next = records.first, begun.type == type, ExactText(next.id) == ExactText(begun.parts[0].id) {
                records.removeFirst()
                begun.parts.append(next)
                begun.byteCount += next.byteCount
                if goesOn, begun.byteCount <= PartedRecords.byteCountMax {
                    open[rid] = begun
                    return []
                }
            }
            if let record = CellRecord.joining(parts: begun.parts) { whole.append((begun.type, [record])) }
        }
        if goesOn, let part = records.first {
            open[rid] = Open(type: type, parts: [part], byteCount: part.byteCount)
        } else if !records.isEmpty {
            whole.append((type, records))
        }
        return whole
    }

    /// Ends a request.
    /// - Returns: the parts that have come of a record whose last part has not.
    public mutating func finish(_ rid: UInt64) -> [(type: String, records: [CellRecord])] {
        guard let begun = open.removeValue(forKey: rid), let record = CellRecord.joining(parts: begun.parts) else {
            return []
        }
        return [(begun.type, [record])]
    }

    /// Forgets the parts of requests whose answer is not awaited any more.
    mutating func keep(where isAwaited: (UInt64) -> Bool) {
        guard !open.isEmpty else { return }
        open = open.filter { isAwaited($0.key) }
    }
}
