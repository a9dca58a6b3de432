import ModelRecord

/// What a commit's changes of one type are gathered in, for those who are interested. Under the cut lock.
///
/// Records that are replaced move in here; of those that replace them a count is taken.
struct Gathering: Sendable {
    let observers: TypeObservers?
    private let models: InterestTable?
    private let writer: Writer
    private let isTakingAll: Bool
    /// For those who observe the type or everything; nil where nobody does.
    private(set) var all: GatheredChanges?
    /// For lanes; nil until there is a change for one.
    private(set) var some: GatheredChanges?
    private var lane = Seat.nobody.lane
    /// There are changes for more than one lane.
    private(set) var isMixed = false
    /// For observers of single models that have an inbox of their own.
    private(set) var alone: [(Inbox, ChangeSection)] = []

    /// - Parameter capacity: so many changes may come.
    init(_ table: TypeTable, _ observers: borrowing Observers, capacity: Int, _ writer: Writer) {
        let ofType = observers[table.number]
        isTakingAll = !observers.everything.isEmpty || !(ofType?.inboxes.isEmpty ?? true)
        models = ofType?.modelsIfAny
        self.observers = ofType
        self.writer = writer
        all = nil
        if isTakingAll { all = writer.gathered(capacity: capacity) }
    }

    /// Somebody is interested in models of the type.
    var isWatched: Bool { isTakingAll || models != nil }

    /// So many changes ahead it is asked who is interested.
    static let ahead = 8

    /// Asks for what tells who observes a model of this hash, where that may be far away.
    @inline(__always)
    func prefetch(_ hash: UInt64) {
        if let models, models.isLarge { models.prefetch(hash) }
    }

    /// Who is interested in the models of this hash, besides those who take all; nil where nobody is at all.
    @inline(__always)
    func seat(_ hash: UInt64) -> Seat? {
        if let seat = models?.seat(hash) { return seat }
        return isTakingAll ? Seat.nobody : nil
    }

    /// Writes an update over the record at `slot`, and takes the change: the old state is kept as what gave way.
    /// - Parameter seat: of ``seat(_:)``.
    /// - Returns: false where there has to be a new record; nothing has been taken then.
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

    /// Takes the last change of all for an observer of a single model, too.
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
    ///   - old: moves in here, count and all.
    ///   - new: not counted yet.
    ///   - seat: of ``seat(_:)``.
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

    /// There is to be a change for `seat`.
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
    /// Memory for so many changes, or for fewer where some is at hand: it grows.
    func gathered(capacity: Int) -> GatheredChanges {
        hasGathered = true
        if let part = spareParts.popLast() { return GatheredChanges(part) }
        return GatheredChanges(capacity: capacity)
    }

    /// Takes replaced records back from those who were told of them. Under the writer lock.
    func takeBack() {
        guard hasGathered else { return }
        sectionMemory.takeBack(&plan, &spareParts)
    }
}
