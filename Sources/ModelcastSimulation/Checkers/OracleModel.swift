import ModelRecord
import ModelReference

/// The state of a model as the oracle keeps it: it joins every update that was ever published, and shares no code with
/// the merge of records.
typealias OracleModel = ReferenceModel<Version, [UInt8]>

extension ReferenceModel where Version == ModelRecord.Version, Content == [UInt8] {
    mutating func apply(_ update: PublishedUpdate) {
        let operation: ReferenceOperation =
            switch update.operation {
            case .merge: .merge
            case .replace: .replace
            case .delete: .delete
            }
        apply(operation, update.fields, at: update.version)
    }

    /// The part of the state that has versions of this origin.
    func written(by origin: String) -> Self {
        var result = self
        if floor?.origin != origin { result.floor = nil }
        if touched?.origin != origin { result.touched = nil }
        result.cells = cells.filter { $0.value.version.origin == origin }
        return result
    }

    /// True when joining `other` would change nothing.
    func holds(_ other: Self) -> Bool {
        var joined = self
        joined.join(other)
        return joined == self
    }

    /// True when applying `update` would change nothing.
    func holds(_ update: PublishedUpdate) -> Bool {
        var applied = self
        applied.apply(update)
        return applied == self
    }

    /// The state that a record holds, read from its bytes.
    init(_ record: CellRecord) {
        self.init()
        let bytes = record.bytes
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        guard let item = PlainItem(copy), item.children.count == 4 else { return }
        floor = Self.version(item.children[1].children[...])
        touched = Self.version(item.children[2].children[...])
        let pairs = item.children[3].children
        for index in stride(from: 0, to: pairs.count, by: 2) {
            guard let field = pairs[index].text, let value = pairs[index + 1].children.first,
                let version = Self.version(pairs[index + 1].children.dropFirst())
            else { continue }
            cells[field] = Cell(Array(copy[value.range]), version)
        }
    }

    private static func version(_ items: ArraySlice<PlainItem>) -> Version? {
        guard items.count == 2, let stamp = items.first?.unsigned, let origin = items.last?.text else { return nil }
        return Version(stamp: stamp, origin: origin)
    }
}
