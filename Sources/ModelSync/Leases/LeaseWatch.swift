import ModelRecord
import ModelWire

/// The watch over the leases of one origin at a replica: for how long the origin has not been heard of, and when the
/// leased models have to be looked at.
///
/// Time counts only while somebody would know of the origin: the replica itself, which listens to it, or a relay that
/// does, by however many others. So nothing ends while the replica, or the relay in front of it, is cut off or stopped,
/// and no wall clock decides anything.
struct LeaseWatch {
    /// The contact with an origin through one sender.
    enum Contact {
        /// The sender is heard.
        case heard
        /// The sender is the origin. It is not heard, and it is known that this is not for lack of a network.
        case absent
        /// Nothing.
        case none
    }

    /// The word of a sender on the origin.
    private struct Teller {
        /// For how long the origin has not been heard of, in microseconds: as told, and what has passed since.
        var quiet: UInt64
        /// The stamp from which on the origin's leases count.
        var heldSince: Stamp
        /// The origin's last stamp.
        var stamp: Stamp
        /// Over how many relays the knowledge of the sender comes; nil where it does not know whether the origin is
        /// there.
        var distance: UInt64?
        /// The knowledge of the sender counts, and not only what makes the origin look alive.
        var isTrusted: Bool
    }

    /// The senders that have told of the origin, by their index.
    private var tellers: [Int: Teller] = [:]
    /// For how long the origin has not been heard of, in microseconds in which somebody would have known.
    private(set) var silent: UInt64 = 0
    /// How much later a model ends than its lease says, in microseconds: each relay on the way tells of the origin with
    /// its own heartbeat only, and none comes at the very time.
    private var grace: UInt64 = 0
    /// A sender has told of the origin.
    private var isHeard = false
    /// Over how many relays the knowledge of the origin comes: 0 where the replica listens to it. Nil where nobody
    /// would know.
    private(set) var distance: UInt64?
    /// The leases of the origin that count are those with stamps from this one on: earlier ones are of an earlier run.
    private(set) var heldSince: Stamp = 0
    /// How long ago the replica has learnt of the run of the origin, in microseconds in which somebody would have known
    /// of its end.
    private var sinceStart: UInt64 = 0

    /// Knowledge from farther away counts for nothing. Relays that tell each other of one that is gone count up to
    /// this.
    private static let distanceMax: UInt64 = 15

    /// A look at the models is due.
    private(set) var isLookDue = true
    /// Models have come that no look has seen.
    private var hasArrivals = false
    /// The silence, and the time since the start, at which the next model ends.
    private var next: (silent: UInt64, sinceStart: UInt64) = (.max, .max)
    /// Models that this run of the origin has leased may be withdrawn.
    private var hasWithdrawn = true
    /// The origin is known to lease models, or the last look has met some.
    private(set) var isWanted = true
    private var isTold = false

    /// Takes note of what a sender tells of the origin. No sender but the origin can make it look silent, or its leases
    /// those of an earlier run, where another says otherwise.
    /// - Parameters:
    ///   - heads: the heads of the origin.
    ///   - heartbeat: that of the sender, in microseconds.
    ///   - isTrusted: the knowledge of the sender counts, and not only what makes the origin look alive.
    mutating func hear(_ heads: Heads, from sender: Int, heartbeat: UInt64, isTrusted: Bool) {
        if heads.leasesSince != nil { isTold = true }
        var teller = Teller(
            quiet: 0, heldSince: heads.leasesSince ?? heads.incarnation, stamp: heads.stamp, distance: 0,
            isTrusted: isTrusted)
        if heads.isRelayed {
            // A relay that knows of no lease tells how old its word is. As long as that is fresh, the origin is there.
            let told = heads.leasesSince == nil ? heads.ageMilliseconds : heads.quietMilliseconds
            teller.quiet = (told ?? 0).multipliedOrMax(by: 1000)
            teller.distance = heads.leaseDistance
            if heads.leasesSince == nil, teller.quiet <= 2 * heartbeat { teller.distance = 1 }
        }
        tellers[sender] = teller
    }

    /// Lets time pass.
    /// - Parameters:
    ///   - elapsed: the microseconds since the last step, of which the caller leaves out a stop of the process.
    ///   - heartbeat: the longest heartbeat of the senders, in microseconds. No model ends before the second.
    ///   - origin: the sender that is the origin; nil where there is none.
    ///   - isMissing: whether all senders would have told of the origin, or are gone, and none has.
    ///   - contact: what can be said through a sender.
    mutating func step(
        _ elapsed: UInt64, heartbeat: UInt64, origin: Int?, isMissing: (_ hasTold: (Int) -> Bool) -> Bool,
        contact: (Int) -> Contact
    ) {
        learnStart(origin, contact)
        distance = distance(origin, contact)
        if distance == nil, isMissing({ tellers[$0] != nil }) { distance = 0 }
        let passed = distance == nil ? 0 : elapsed
        grace = ((distance ?? 0) + 1) * heartbeat
        sinceStart = sinceStart.addingOrMax(passed)
        guard let quiet = leastQuiet(passed, contact) else { return }
        let before = silent
        // The knowledge of a sender does not count for less because that sender has gone.
        silent = isHeard ? min(quiet, silent.addingOrMax(passed)) : quiet
        isHeard = true
        let isBack = silent < before && hasWithdrawn
        let isEpisode = before < 2 * heartbeat && silent >= 2 * heartbeat
        if isBack || isEpisode || silent >= next.silent || sinceStart >= next.sinceStart { isLookDue = true }
    }

    /// Lets time pass for the words of the senders.
    /// - Returns: the least silence that counts; nil where nobody's word does.
    private mutating func leastQuiet(_ passed: UInt64, _ contact: (Int) -> Contact) -> UInt64? {
        var least: UInt64?
        for sender in tellers.keys {
            guard var teller = tellers[sender] else { continue }
            switch contact(sender) {
            case .heard where teller.distance != nil || !teller.isTrusted, .absent:
                teller.quiet = teller.quiet.addingOrMax(passed)
                tellers[sender] = teller
                least = min(least ?? .max, teller.quiet)
            case .heard, .none: break
            }
        }
        // An origin that is gone may never have told anything here.
        return least ?? (distance == 0 ? silent.addingOrMax(passed) : nil)
    }

    /// Learns which leases are of the present run: by the word of the origin where it is heard, else by the least of
    /// the words of others.
    private mutating func learnStart(_ origin: Int?, _ contact: (Int) -> Contact) {
        let isPresent = origin.map { contact($0) == .heard && tellers[$0] != nil } ?? false
        let words = tellers.filter { sender, _ in isPresent ? sender == origin : contact(sender) == .heard }
        guard let since = words.values.lazy.map(\.heldSince).min(), since != heldSince else { return }
        // A replica that comes late learns from the clock of the origin itself how long its run has lasted.
        let isFirst = heldSince == 0
        let lasted = (words.values.lazy.map(\.stamp).max() ?? 0).subtractingOrZero(since) >> 16
        heldSince = since
        sinceStart = isFirst ? lasted * 1000 : 0
        isLookDue = true
    }

    private func distance(_ origin: Int?, _ contact: (Int) -> Contact) -> UInt64? {
        if let origin, contact(origin) != .none { return 0 }
        let told = tellers.compactMap { sender, teller in
            teller.isTrusted && contact(sender) == .heard ? teller.distance : nil
        }
        return told.min().flatMap { $0 < LeaseWatch.distanceMax ? $0 + 1 : nil }
    }

    /// The words of all senders and what follows of them, in one line. For tests.
    var text: String {
        let tellers = tellers.sorted { $0.key < $1.key }.map { sender, teller in
            let distance = teller.distance.map { "\($0)" } ?? "-"
            return "#\(sender) \(teller.quiet / 1000) ms since \(teller.heldSince >> 16) at \(distance)"
        }
        let distance = distance.map { "\($0)" } ?? "-"
        return "silent \(silent / 1000) ms, distance \(distance), since \(heldSince >> 16), run "
            + "\(sinceStart / 1000) ms; told by \(tellers)"
    }

    /// Takes note that models have come by which something may have to end.
    mutating func noteArrivals() { hasArrivals = true }

    /// A look is due, or worth while where another has to be made.
    func wantsLook(afterPause: Bool) -> Bool { isLookDue || (afterPause && hasArrivals) }

    /// A model with this lease is to be withdrawn, or to stay so. What an earlier run has leased does not come back.
    func isOver(_ lease: Lease, isWithdrawn: Bool) -> Bool {
        let time = time(of: lease)
        return time.left == 0 || (isWithdrawn && !time.isHeld)
    }

    private func time(of lease: Lease) -> (left: UInt64, isHeld: Bool) {
        let microseconds = lease.milliseconds * 1000
        let isHeld = lease.version.stamp >= heldSince
        // A model of an earlier run goes where the origin is silent, and where it does not say again that it leases it.
        let passed = isHeld ? silent : max(silent, sinceStart)
        return ((microseconds + grace).subtractingOrZero(passed), isHeld)
    }

    /// Takes note that a look at all models begins.
    mutating func beginLook() {
        (isLookDue, hasArrivals, hasWithdrawn) = (false, false, false)
        isWanted = isTold
        next = (.max, .max)
    }

    /// Takes note of a model of the origin that the look has met.
    mutating func note(_ lease: Lease) {
        isWanted = true
        let (left, isHeld) = time(of: lease)
        guard left > 0 else {
            if isHeld { hasWithdrawn = true }
            return
        }
        next.silent = min(next.silent, silent.addingOrMax(left))
        if !isHeld { next.sinceStart = min(next.sinceStart, sinceStart.addingOrMax(left)) }
    }
}
