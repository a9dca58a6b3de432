import ModelCBOR
import ModelRecord

/// The identity of a batch, read from the first bytes of its frame. The rest is not checked, so it is for frames that
/// this program has made or checked itself.
public struct BatchIdentity: Hashable, Sendable {
    /// The name of the origin.
    public let origin: String
    /// The start of the origin that the batch belongs to.
    public let incarnation: UInt64
    /// The number of the batch on its topic.
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
