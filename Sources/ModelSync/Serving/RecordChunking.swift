import ModelRecord
import ModelWire

/// Packs records of one type into messages, and cuts a record into parts that is too large for one.
struct RecordChunking: Sendable {
    /// The records of one message.
    struct Chunk: Sendable {
        let records: [CellRecord]
        /// The only record is a part, and the next chunk goes on with it.
        let isPart: Bool

        func reply(rid: UInt64, type: String) -> ControlReply {
            isPart ? .part(rid: rid, type: type, record: records[0]) : .records(rid: rid, type: type, records: records)
        }
    }

    /// A model with fields that fit into no message, so that no peer can be sent them.
    struct Unsendable: Sendable {
        let id: String
        let fields: [String]
    }

    /// How many bytes a chunk usually carries at most.
    var byteCountMax: Int {
        didSet { byteCountMax = min(byteCountMax, recordByteCountMax) }
    }
    /// How many bytes the only record of a chunk may take.
    private let recordByteCountMax: Int
    private var records: [CellRecord] = []
    private var byteCount = 0
    private var parts: RecordParts?
    private var unsendable: [Unsendable] = []

    /// More bytes than a message takes beside its records: the method, a number, the name of a type.
    private static let envelopeByteCountMax = 96

    /// - Parameter frameByteCount: the most that a message may take.
    init(byteCountMax: Int, frameByteCount: Int) {
        recordByteCountMax = max(frameByteCount - RecordChunking.envelopeByteCountMax, 1)
        self.byteCountMax = min(byteCountMax, recordByteCountMax)
    }

    /// Moves records into the open chunk.
    /// - Returns: a chunk that is full; nil when all records were taken and there is room for more.
    mutating func fill(from waiting: inout ArraySlice<CellRecord>) -> Chunk? {
        if let part = nextPart() { return part }
        while let record = waiting.first {
            let isTooLarge = record.byteCount > recordByteCountMax
            // A record that would push the chunk past the limit begins the next one.
            if !records.isEmpty, isTooLarge || byteCount + record.byteCount > byteCountMax { return finish() }
            waiting.removeFirst()
            if isTooLarge {
                parts = RecordParts(record)
                return nextPart()
            }
            records.append(record)
            byteCount += record.byteCount
            if byteCount >= byteCountMax { return finish() }
        }
        return nil
    }

    /// Closes the open chunk: no more records of this type come.
    mutating func finish() -> Chunk? {
        guard !records.isEmpty else { return nil }
        defer { (records, byteCount) = ([], 0) }
        return Chunk(records: records, isPart: false)
    }

    /// The models of which fields were left out since the last call.
    mutating func takeUnsendable() -> [Unsendable] {
        guard !unsendable.isEmpty else { return [] }
        defer { unsendable = [] }
        return unsendable
    }

    private mutating func nextPart() -> Chunk? {
        guard let part = parts?.next(byteCount: byteCountMax, byteCountMax: recordByteCountMax) else {
            parts = nil
            return nil
        }
        guard let parts, parts.isAtEnd else { return Chunk(records: [part], isPart: true) }
        if !parts.oversized.isEmpty {
            unsendable.append(Unsendable(id: parts.record.id, fields: parts.oversized))
        }
        self.parts = nil
        return Chunk(records: [part], isPart: false)
    }
}
