@_spi(RecordWriting) import ModelRecord

/// Collects the changes of one type in a commit, for its observers. Under the cut lock.
///
/// A replaced record moves in with its count; of the record that replaces it, a count is taken.
struct Gathering: Sendable {
    let observers: TypeObservers?
    private let models: InterestTable?
    private let writer: Writer
    private let isTakingAll: Bool
    /// For the observers of the type or of everything; nil where there are none.
    private(set) var all: GatheredChanges?
    /// For lanes; nil until there is a change for one.
    private(set) var some: GatheredChanges?
    private var lane = Seat.nobody.lane
    /// There are changes for more than one lane.
    private(set) var isMixed = false
    /// For observers of single models that have an inbox of their own.
    private(set) var alone: [(Inbox, ChangeSection)] = []

    /// - Parameter capacity: the expected number of changes.
    init(_ table: TypeTable, _ observers: borrowing Observers, capacity: Int, _ writer: Writer) {
        let ofType = observers[table.number]
        isTakingAll = !observers.everything.isEmpty || !(ofType?.inboxes.isEmpty ?? true)
        models = ofType?.modelsIfAny
        self.observers = ofType
        self.writer = writer
        all = nil
        if isTakingAll { all = writer.gathered(capacity: capacity) }
    }

    /// Some observer is interested in the type or in models of it.
    var isWatched: Bool { isTakingAll || models != nil }

    /// How many changes ahead the table of observers is asked for a model.
    static let ahead = 8

    /// Asks for the place of a hash in the table of observers, where the table is too large for the nearest cache.
    @inline(__always)
    func prefetch(_ hash: UInt64) {
        if let models, models.isLarge { models.prefetch(hash) }
    }

    /// The seat of the observer of models with this hash. ``Seat/nobody`` where only observers of all are interested;
    /// nil where no observer is.
    @inline(__always)
    func seat(_ hash: UInt64) -> Seat? {
        if let seat = models?.seat(hash) { return seat }
        return isTakingAll ? Seat.nobody : nil
    }

    /// Overwrites the record at `slot`, and takes the change. The undo log keeps the old state.
    /// - Parameter seat: the result of ``seat(_:)``.
    /// - Returns: false where a new record has to be made; nothing has been taken then.
    @inline(__always)
    mutating func overwrite(
        _ slots: SlotArray, at slot: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan, _ seat: Seat,
        of type: String
    ) -> Bool {
        guard isTakingAll else {
            guard plan.keepsSize, !seat.isGroup, !seat.isAlone else { return false }
            begin(seat)
            return some?.overwrite(slots, at: slot, update, plan, seat) ?? false
        }
        guard all?.overwrite(slots, at: slot, update, plan, .nobody) ?? false else { return false }
        if seat != .nobody { shareLast(seat, of: type) }
        return true
    }

    /// Takes the last change of ``all`` for the observer of a single model, too.
    @inline(never)
    private mutating func shareLast(_ seat: Seat, of type: String) {
        guard let all else { return }
        if seat.isGroup || seat.isAlone {
            let (old, new) = all.last()
            let (oldHeld, newHeld) = unsafe (old.map { unsafe UnmanagedRecord($0) }, UnmanagedRecord(new))
            unsafe share(oldHeld, newHeld, seat, of: type)
            unsafe oldHeld?.release()
            return unsafe newHeld.release()
        }
        begin(seat)
        some?.append(lastOf: all, seat)
    }

    /// Takes a change.
    /// - Parameters:
    ///   - old: the record before. It may move in with its count; `old` is nil then.
    ///   - new: the record after, of which a count is taken.
    ///   - seat: the result of ``seat(_:)``.
    @inline(__always)
    mutating func take(_ old: inout UnmanagedRecord?, _ new: UnmanagedRecord, _ seat: Seat, of type: String) {
        if seat.isGroup || seat.isAlone {
            unsafe share(old, new, seat, of: type)
        } else if seat != .nobody {
            let before = unsafe isTakingAll ? old?.retained() : exchange(&old, with: nil)
            unsafe takeSome(HeldChange(old: before, new: new.retained(), seat: seat))
        }
        guard isTakingAll else { return }
        unsafe all?.append(HeldChange(old: exchange(&old, with: nil), new: new.retained()))
    }

    @inline(__always)
    private mutating func takeSome(_ change: HeldChange) {
        unsafe begin(change.seat)
        unsafe some?.append(change)
    }

    /// Prepares ``some`` for a change of `seat`.
    @inline(__always)
    private mutating func begin(_ seat: Seat) {
        if some == nil {
            some = writer.gathered(capacity: 16)
            lane = seat.lane
        }
        if seat.lane != lane { isMixed = true }
    }

    /// Takes a change for several observers, or for one with an inbox of its own.
    @inline(never)
    private mutating func share(_ old: UnmanagedRecord?, _ new: UnmanagedRecord, _ seat: Seat, of type: String) {
        guard let observers else { return }
        for seat in unsafe seat.isGroup ? observers.members(of: seat, new) : [seat] {
            guard seat.isAlone else {
                unsafe takeSome(HeldChange(old: old?.retained(), new: new.retained(), seat: seat))
                continue
            }
            guard let one = observers.alone(seat), unsafe new.hasID(one.id.utf8.span) else { continue }
            let entry = unsafe ChangeEntry(old: old?.record, new: new.record)
            alone.append((one.inbox, ChangeSection(type: type, entries: [entry])))
        }
    }
}

extension Writer {
    /// Memory for the changes of a section. Spare memory may be smaller than `capacity`; it grows.
    func gathered(capacity: Int) -> GatheredChanges {
        hasGathered = true
        if let part = spareParts.popLast() { return GatheredChanges(part) }
        return GatheredChanges(capacity: capacity)
    }

    /// Takes back the records and the memory that observers no longer need. Under the writer lock.
    func takeBack() {
        guard hasGathered else { return }
        sectionMemory.takeBack(&plan, &spareParts)
    }
}
