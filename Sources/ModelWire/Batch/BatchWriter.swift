import ModelCBOR
public import ModelRecord

/// An open batch: updates are encoded straight into its buffer, and become one frame at the end.
///
/// ```swift
/// var writer = BatchWriter()
/// try writer.append(.merge, stamp: clock.tick(nowMilliseconds: now), id: "42", fields: ["age": 30])
/// let frame = writer.finish(origin: "users-1", incarnation: incarnation, sequence: 1)
/// ```
/// The writer keeps its memory for the next batch, so appending allocates nothing once the writer is warm.
public struct BatchWriter: Sendable {
    private var writer = CBORWriter()
    private var lastStamp: Stamp?

    /// The stamp of the batch, from which the offsets of its updates count; nil until the batch has begun.
    public private(set) var firstStamp: Stamp?
    /// How many updates have been appended.
    public private(set) var updateCount = 0

    /// The most that a frame takes beyond the encoded updates of its batch, or beyond the fields of a batch's only
    /// update; with its seal, and also a frame that carries the batch within a push or a replay. The group is not
    /// included.
    public static let envelopeByteCountMax = 832

    /// The most that the seven heads in front of a frame's updates take: those of the frame, its kind and its origin
    /// are five bytes together.
    private static let headsByteCountMax = 5 + 4 * CBORHead.byteCountMax

    /// An empty batch.
    public init() {}

    /// The size of the encoded updates.
    public var byteCount: Int { writer.count }

    /// True when nothing has been appended.
    public var isEmpty: Bool { updateCount == 0 }

    /// The room that is kept for a seal behind a frame, so that the frame need not move when it is put there.
    private static let sealByteCount = 256

    /// Begins a batch with a given stamp, as a transaction over several topics needs: its batches share one stamp.
    ///
    /// Without this call, a batch takes the stamp of its first update.
    public mutating func begin(stamp: Stamp) {
        precondition(isEmpty, "a batch can be begun only while it is empty")
        firstStamp = stamp
        lastStamp = nil
    }

    /// True when another update with fields of this size fits: the frame stays within its size and its number of
    /// updates.
    /// - Parameter groupByteCount: the size of the group's topics, if there will be a group: their bytes and 3 for
    ///   each.
    public func hasRoom(fieldsByteCount: Int, groupByteCount: Int = 0, limits: WireLimits) -> Bool {
        updateCount < limits.updateCount
            && byteCount + fieldsByteCount + groupByteCount + BatchWriter.envelopeByteCountMax <= limits.frameByteCount
    }

    /// Appends an update.
    /// - Parameters:
    ///   - stamp: above that of the previous update; traps otherwise.
    ///   - id: valid (`Names.check(id:)`).
    ///   - fields: the pairs of the field map without its head, as in `EncodedFields`; empty for a delete.
    ///   - fieldCount: how many pairs there are.
    public mutating func append(
        _ operation: UpdateOperation, stamp: Stamp, id: Span<UInt8>, fields: Span<UInt8>, fieldCount: Int
    ) {
        let first = firstStamp ?? stamp
        precondition(lastStamp.map { $0 < stamp } ?? (first <= stamp), "the stamps of a batch must rise")
        precondition(operation != .delete || fieldCount == 0, "a delete carries no fields")
        firstStamp = first
        lastStamp = stamp
        updateCount += 1
        // Room for five heads, the id and the fields.
        unsafe writer.append(upTo: id.count + fields.count + 5 * CBORHead.byteCountMax) { filler in
            unsafe filler.writeHead(.array, 4)
            unsafe filler.writeHead(.unsigned, operation.rawValue)
            unsafe filler.writeHead(.unsigned, stamp - first)
            unsafe filler.writeHead(.text, UInt64(id.count))
            unsafe filler.append(id)
            unsafe filler.writeHead(.map, UInt64(fieldCount))
            unsafe filler.append(fields)
        }
    }

    /// Appends an update whose id and fields are encoded and checked here.
    /// - Throws: ``WireError`` for a bad id or bad fields; nothing has been appended then.
    public mutating func append(
        _ operation: UpdateOperation, stamp: Stamp, id: String, fields: Fields = [:], limits: WireLimits = .default
    ) throws(WireError) {
        do { try Names.check(id: id) } catch { throw WireError(error) }
        let encoded = try EncodedFields(fields, limits: limits)
        append(
            operation, stamp: stamp, id: id.utf8.span, fields: encoded.bytes.span, fieldCount: encoded.count)
    }

    /// Makes the frame `[0, origin, incarnation, sequence, stamp, updates, ? group, ? seal]` and empties the batch.
    /// - Parameters:
    ///   - origin: valid (`Names.check(origin:)`).
    ///   - sequence: the number of the batch on its topic, from 1.
    ///   - group: the topics of all batches of a transaction, including this one's; nil for a batch of its own.
    ///   - awaitsSeal: the frame ends before its seal, which the caller has to put behind it.
    /// - Precondition: at least one update has been appended.
    public mutating func finish(
        origin: String, incarnation: UInt64, sequence: UInt64, group: [Topic]? = nil, awaitsSeal: Bool = false
    ) -> [UInt8] {
        guard let stamp = firstStamp, !isEmpty else { preconditionFailure("a batch needs an update") }
        let groupByteCount = group?.reduce(3) { $0 + $1.bytes.count + 3 } ?? 0
        let (name, count) = (origin.utf8.span, updateCount)
        let ownByteCount = byteCount + name.count + BatchWriter.headsByteCountMax
        let sealByteCount = awaitsSeal ? BatchWriter.sealByteCount : 0
        var frame = CBORWriter(reserving: ownByteCount + groupByteCount + sealByteCount)
        // One check of the capacity for all of it: under little load each update is a frame of its own.
        unsafe frame.append(upTo: ownByteCount) { filler in
            unsafe filler.writeHead(.array, awaitsSeal ? 8 : group == nil ? 6 : 7)
            unsafe filler.writeHead(.unsigned, FrameKind.batch.rawValue)
            unsafe filler.writeHead(.text, UInt64(name.count))
            unsafe filler.append(name)
            unsafe filler.writeHead(.unsigned, incarnation)
            unsafe filler.writeHead(.unsigned, sequence)
            unsafe filler.writeHead(.unsigned, stamp)
            unsafe filler.writeHead(.array, UInt64(count))
            unsafe filler.append(writer.bytes.span)
        }
        if let group {
            frame.writeArrayHead(group.count)
            for topic in group { frame.write(byteString: topic.bytes) }
        } else if awaitsSeal {
            frame.writeNull()
        }
        removeAll()
        return frame.bytes
    }

    /// Forgets what was appended and keeps the memory.
    public mutating func removeAll() {
        writer.removeAll()
        firstStamp = nil
        lastStamp = nil
        updateCount = 0
    }
}
