import ModelRecord

/// The way through the models, from slice to slice.
struct LeaseLook {
    /// The types that are left; nil where nothing has been looked at.
    var types: [String]?
    /// The next bucket of the last of them.
    var bucket = 0
}

/// The origins whose leases a replica watches, and the time that passes for them.
struct LeaseTable {
    private var watches: [String: LeaseWatch] = [:]
    /// The look at the models that is under way.
    var look: LeaseLook?
    /// How many looks have begun. For tests.
    private(set) var lookCount = 0
    /// A first look has met what an earlier run has left in the copy.
    private var hasLooked = false
    /// When the last look has ended, on the clock of the steps.
    private var lastLook: UInt64 = 0
    /// When time was last let pass.
    private var lastStep: UInt64?
    /// Some origin has been silent for so long that what comes of it now may have to end.
    private(set) var isAnySilent = false

    /// The time between two steps, in microseconds: a quarter of a heartbeat.
    private var stepMicroseconds = LeaseTable.stepMicrosecondsBound
    /// The longest time between two steps.
    private static let stepMicrosecondsBound: UInt64 = 100_000
    /// The most time that one step lets pass: more is a stop of this process, which no origin is to blame for.
    static let stepMicrosecondsMax: UInt64 = 500_000

    var isEmpty: Bool { watches.isEmpty }

    /// The watched origins, in one order on every machine.
    var origins: [String] { watches.keys.sorted() }

    /// The watch over an origin; nil where there is none.
    subscript(origin: String) -> LeaseWatch? {
        get { watches[origin] }
        set { watches[origin] = newValue }
    }

    /// When the next step is due; nil where nothing is watched.
    var nextStep: UInt64? { watches.isEmpty && hasLooked ? nil : (lastStep ?? 0).addingOrMax(stepMicroseconds) }

    /// Begins to watch an origin.
    mutating func watch(_ origin: String) {
        guard watches[origin] == nil else { return }
        // No step has been made while nothing was watched, and that time is not the origin's.
        if watches.isEmpty { lastStep = nil }
        watches[origin] = LeaseWatch()
    }

    /// Begins a step.
    /// - Returns: the microseconds that have passed for the origins.
    mutating func begin(at now: UInt64) -> UInt64 {
        defer { lastStep = now }
        return min(now.subtractingOrZero(lastStep ?? now), LeaseTable.stepMicrosecondsMax)
    }

    /// Ends a step.
    /// - Parameter heartbeat: see ``LeaseWatch/step(_:at:heartbeat:origin:contact:)``.
    mutating func end(heartbeat: UInt64) {
        isAnySilent = watches.values.contains { $0.silent >= 2 * heartbeat }
        stepMicroseconds = min(heartbeat / 4, LeaseTable.stepMicrosecondsBound)
    }

    /// The pause between two looks for the sake of new arrivals.
    private static let lookPauseMicroseconds: UInt64 = 1_000_000

    /// Begins a look at the models, for all origins at once, where one is due.
    mutating func beginLook(at now: UInt64, isForced: Bool) {
        let isAfterPause = now >= lastLook.addingOrMax(LeaseTable.lookPauseMicroseconds)
        if !isForced {
            let isWanted = watches.values.contains { $0.wantsLook(afterPause: isAfterPause) }
            guard look == nil, isWanted || !hasLooked else { return }
        }
        look = LeaseLook()
        lookCount += 1
        for origin in watches.keys { watches[origin]?.beginLook() }
    }

    /// Takes note of a lease that the look has met.
    /// - Returns: whether the model is to be withdrawn from readers.
    mutating func meet(_ lease: Lease, isWithdrawn: Bool) -> Bool {
        watch(lease.version.origin)
        watches[lease.version.origin]?.note(lease)
        return isOver(lease, isWithdrawn: isWithdrawn)
    }

    /// A model with this lease is to be withdrawn from readers, or to stay so.
    func isOver(_ lease: Lease, isWithdrawn: Bool) -> Bool {
        watches[lease.version.origin]?.isOver(lease, isWithdrawn: isWithdrawn) ?? isWithdrawn
    }

    /// Ends the look. Origins of which it has met no lease, and which tell of none, are watched no longer.
    mutating func endLook(at now: UInt64) {
        (look, lastLook, hasLooked) = (nil, now, true)
        watches = watches.filter { $0.value.isWanted }
    }

    /// Takes note that records have come, of whichever origins.
    mutating func noteArrivals() {
        for origin in watches.keys { watches[origin]?.noteArrivals() }
    }

    mutating func forget(_ names: Set<String>) {
        for name in names { watches[name] = nil }
    }
}
