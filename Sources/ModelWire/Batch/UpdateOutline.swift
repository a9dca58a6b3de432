import ModelCBOR
public import ModelRecord

/// An update without its values: what it is about, and how large it is.
public struct UpdateOutline: Hashable, Sendable {
    /// The id of the model.
    public let id: String
    /// The operation on the model.
    public let operation: UpdateOperation
    /// How many fields are set.
    public let fieldCount: Int
    /// The bytes of their names and values.
    public let fieldsByteCount: Int
}

extension BatchDecoder {
    /// The outlines of the accepted updates of the frame that was decoded last.
    /// - Parameter frame: that same frame.
    public borrowing func outlines(in frame: Span<UInt8>) -> [UpdateOutline] {
        let batch = batch(in: frame)
        var outlines: [UpdateOutline] = []
        for index in 0..<batch.count {
            let slice = batch.slices[index]
            let id = batch.id(at: index)
            outlines.append(
                UpdateOutline(
                    id: CBORReader(id).string(0..<id.count), operation: slice.operation,
                    fieldCount: Int(slice.fieldCount), fieldsByteCount: Int(slice.fieldsByteCount)))
        }
        return outlines
    }
}
