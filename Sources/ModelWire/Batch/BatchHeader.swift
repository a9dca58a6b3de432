import ModelCBOR
import ModelRecord

/// The elements of a batch in front of its updates.
struct BatchHeader {
    /// How many elements the frame's array has, at least 6.
    let elementCount: Int
    /// The range of the origin's name.
    let origin: Range<Int>
    let incarnation: UInt64
    let sequence: UInt64
    let stamp: Stamp
    /// How many updates follow, at least 1.
    let updateCount: Int

    init(reading reader: inout CBORReader) throws(CBORError) {
        guard let count = try reader.readArrayHead(), count >= 6 else { throw CBORError(.unexpectedType, at: 0) }
        elementCount = count
        let kindStart = reader.offset
        guard try reader.readUnsigned() == FrameKind.batch.rawValue else {
            throw CBORError(.unexpectedType, at: kindStart)
        }
        origin = try reader.readText()
        incarnation = try reader.readUnsigned()
        sequence = try reader.readUnsigned()
        stamp = try reader.readUnsigned()
        let updatesStart = reader.offset
        guard let updates = try reader.readArrayHead(), updates > 0 else {
            throw CBORError(.unexpectedType, at: updatesStart)
        }
        updateCount = updates
    }
}
