/// The name of one exact state of a model, for a write that is to be made to that state only.
///
/// Copies that hold the same of a model name its state alike. Another value of any field makes another revision, and so
/// does a later write of the same value.
public struct Revision: Hashable, Sendable, LosslessStringConvertible {
    /// The name as text, without blanks and quotes.
    public let description: String

    /// The revision of this name; nil for a text that is none.
    public init?(_ description: String) {
        let bytes = description.utf8
        guard (1...Revision.byteCountMax).contains(bytes.count), bytes.allSatisfy({ (0x23...0x7E).contains($0) }) else {
            return nil
        }
        self.description = description
    }

    /// The greatest version is for people. It alone is no name: an older write of another field may come later.
    init(_ record: CellRecord) {
        let hash = String(Fingerprint.fnv(record.bytes), radix: 36)
        description = "\(record.lastVersion?.description ?? "")-\(hash)"
    }

    private static let byteCountMax = 160
}

extension CellRecord {
    /// The name of this state of the model.
    /// - Complexity: O(``byteCount``), each time.
    public var revision: Revision { Revision(self) }
}
