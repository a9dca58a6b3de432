import ModelCBOR
import ModelRecord

/// Which batch a frame is, read from its first bytes alone: for frames that this program has made or checked itself.
public struct BatchIdentity: Hashable, Sendable {
    public let origin: String
    public let incarnation: UInt64
    public let sequence: UInt64

    /// - Returns: nil for bytes that do not begin as a batch does.
    public init?(of frame: Span<UInt8>) {
        var reader = CBORReader(frame)
        guard let header = try? BatchHeader(reading: &reader) else { return nil }
        origin = reader.string(header.origin)
        incarnation = header.incarnation
        sequence = header.sequence
    }
}
