public import ModelRecord

/// What happened to one model, as an observer is told.
public struct Change: Sendable {
    /// The model's type.
    public let type: String
    /// The state before it, tombstones included.
    let oldState: Record?
    /// The state after it, tombstones included.
    let newState: Record
    /// The union of the changed fields, where several changes were folded.
    private let foldedFields: [String]?
    /// The model was not changed: this is its state at the time of registration.
    public let isInitial: Bool

    init(type: String, entry: ChangeEntry, isInitial: Bool) {
        self.type = type
        oldState = entry.old
        newState = entry.new
        foldedFields = entry.fields
        self.isInitial = isInitial
    }

    /// The model's id.
    public var id: String { newState.id }

    /// The model before, or nil where it did not exist; also nil when ``isInitial``.
    public var old: Record? { existing(oldState) }

    /// The model after, or nil where it does not exist.
    public var new: Record? { existing(newState) }

    /// The fields whose value is another one now, in the order of their encodings; of an initial state all fields.
    ///
    /// When ``isFolded``, all fields that changed on the way, although some may be back at their old value.
    /// - Complexity: O(*fields*), unless folded.
    public var changedFields: [String] { foldedFields ?? newState.changedFields(since: oldState) }

    /// Several changes of this model were folded into one, as the observer was slower than they came.
    public var isFolded: Bool { foldedFields != nil }

    /// The greatest version of any write to the model as a whole.
    public var version: Version {
        switch (newState.touched, newState.floor) {
        case (let touched?, let floor?): max(touched, floor)
        case (let touched?, nil): touched
        case (nil, let floor?): floor
        case (nil, nil): Version(stamp: 0, origin: "")
        }
    }

    /// The publisher that wrote ``version``.
    public var origin: String { version.origin }

    private func existing(_ record: Record?) -> Record? {
        guard let record, record.exists else { return nil }
        return record
    }
}
