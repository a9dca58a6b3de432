public import ModelRecord

/// One change of one model, as an observer is told it.
///
/// A change refers to the set that it was told in: keeping a change keeps everything that was told beside it on the
/// same queue. To remember a state keep ``new``.
public struct Change: Sendable {
    private let section: ChangeSection
    private let position: Int
    /// The model was not changed: this is its state at the time of registration.
    public let isInitial: Bool

    init(_ section: ChangeSection, at position: Int, isInitial: Bool) {
        self.section = section
        self.position = position
        self.isInitial = isInitial
    }

    /// The model's type.
    public var type: String { section.type }

    /// The model's id.
    public var id: String { newState.id }

    /// The model before, or nil where it did not exist; also nil when ``isInitial``.
    ///
    /// - Complexity: O(1). Where the cache has overwritten that record, the first call makes it again: O(*size of the
    ///   record*).
    public var old: CellRecord? { existing(section.old(at: position)) }

    /// The model after, or nil where it does not exist, or has left the copy.
    public var new: CellRecord? { existing(newState) }

    /// The fields whose value has changed, in the order of their encodings; of an initial state all fields.
    ///
    /// When ``isFolded``, all fields that changed on the way, although some may be back at their old value.
    /// - Complexity: O(*fields*), unless folded; asks for ``old``.
    public var changedFields: [String] { section.changedFields(at: position) }

    /// Several changes of this model were folded into one, as the observer was slower than the changes.
    public var isFolded: Bool { section.foldedFields(at: position) != nil }

    /// The reason of the change, by what became of the model. One that is gone has expired where the publisher that had
    /// written its end has deleted it then or later.
    /// - Complexity: of a model that is gone that of ``old``.
    public var reason: ChangeReason {
        if isInitial { return .initial }
        let state = newState
        if state.isEvicted { return .evicted }
        if state.isWithdrawn { return .leaseEnded }
        guard !state.exists else { return section.wasWithdrawn(at: position) ? .returned : .written }
        guard let floor = state.floor, let old, let end = old.expires, floor.stamp >> 16 >= end,
            floor.origin == old.version(of: FieldName.expires.text)?.origin
        else { return .deleted }
        return .expired
    }

    /// The state after, tombstones included.
    private var newState: CellRecord { section.new(at: position) }

    /// The greatest version of any write to the model as a whole.
    public var version: Version { newState.lastVersion ?? Version(stamp: 0, origin: "") }

    /// The publisher that wrote ``version``.
    public var origin: String { version.origin }

    private func existing(_ record: CellRecord?) -> CellRecord? {
        guard let record, record.isPresent else { return nil }
        return record
    }
}
