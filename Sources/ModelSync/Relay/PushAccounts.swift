import ModelCache
import ModelGrants

/// The models that the owners of keys hold of a relay's copy by pushing, where their grants bound them (`ids=`,
/// `bytes=`).
///
/// Exact counts come from a ``ModelCensus``. What is pushed since adds to them by estimate, never too little, and a new
/// census follows where the sum passes a limit. So the bound holds at each moment, after a restart too, and what was
/// deleted and forgotten is free again. While a key is counted its pushers are told to wait.
struct PushAccounts: Sendable {
    /// The fate of a batch.
    enum Verdict: Hashable, Sendable {
        case allowed
        /// The key has to be counted first.
        case waits
        /// The limit is reached.
        case refused(KeyLimit)
    }

    private struct Account {
        var owner: Grantee
        /// The last census, and when it began; nil before the first.
        var counted: (amount: CreatedAmount, at: UInt64)?
        /// The amounts that were pushed since the last census began, and since the present one did.
        var since = CreatedAmount()
        var sinceRunning = CreatedAmount()
        /// The amount that waits to be durable: no snapshot shows it yet.
        var pending = CreatedAmount()
        /// The parts of transactions that may wait for the rest, and what they were when the last census, and the
        /// present one, began.
        var parts: [PushedPart] = []
        var held = CreatedAmount()
        var heldNext = CreatedAmount()
        /// Since when batches wait because of a limit, on the clock of ``Moment/uptimeMicroseconds``; nil for none.
        var waitsSince: UInt64?
        /// The account is to be counted, or is counted now.
        var isWanted = true
        var isCounted = false
    }

    private var accounts: [String: Account] = [:]
    private var census: (count: ModelCensus, startedAt: UInt64)?
    /// How many streams the owners of keys have begun, counted when.
    private var streamCounts: [String: (count: Int, at: UInt64)] = [:]

    private static let streamCountMicroseconds: UInt64 = 1_000_000
    /// How old a census may be that refuses a batch for good.
    private static let freshMicroseconds: UInt64 = 10_000_000
    /// The wait between two steps of a census.
    private static let stepMicroseconds: UInt64 = 5_000

    /// A key has to be counted, or is.
    var isCounting: Bool { census != nil || accounts.values.contains { $0.isWanted } }

    /// When ``advance(now:isHeld:snapshot:)`` has something to do; nil for never.
    func nextDeadline(now: Moment) -> UInt64? {
        isCounting ? now.uptimeMicroseconds + PushAccounts.stepMicroseconds : nil
    }

    /// Judges a batch by what it would add.
    mutating func judge(_ amount: CreatedAmount, of owner: Grantee, now: Moment) -> Verdict {
        var account = accounts[owner.key] ?? Account(owner: owner)
        // Other grants may hold by now, with other origins.
        // The second look costs copies, and is seldom needed.
        if account.owner.rights != owner.rights,
            account.owner.rights.withoutSigningKeys != owner.rights.withoutSigningKeys
        {
            account = Account(owner: owner, pending: account.pending, parts: account.parts)
        }
        account.owner = owner
        defer { accounts[owner.key] = account }
        guard let counted = account.counted else {
            account.waitsSince = account.waitsSince ?? now.uptimeMicroseconds
            return .waits
        }
        func isPast(_ amount: CreatedAmount) -> KeyLimit? {
            if let ids = owner.limits[.ids], amount.ids > ids { return .ids }
            if let bytes = owner.limits[.bytes], amount.byteCount > bytes { return .bytes }
            return nil
        }
        // A batch that adds nothing, as one that deletes, is always taken.
        func sum(_ base: CreatedAmount) -> CreatedAmount {
            CreatedAmount(
                ids: amount.ids > 0 ? base.ids + amount.ids : 0,
                byteCount: amount.byteCount > 0 ? base.byteCount + amount.byteCount : 0)
        }
        var all = counted.amount
        all += account.since
        guard isPast(sum(all)) != nil else { return .allowed }
        var certain = counted.amount
        certain += account.pending
        certain += account.held
        let time = now.uptimeMicroseconds
        // Others may have replaced or deleted since: a batch is refused only by a count that began after one had to
        // wait, and not long ago.
        let isFresh = account.waitsSince.map { $0 <= counted.at } ?? false
        if isFresh, time < counted.at + PushAccounts.freshMicroseconds, let limit = isPast(sum(certain)) {
            account.waitsSince = nil
            return .refused(limit)
        }
        if isFresh || account.waitsSince == nil { (account.waitsSince, account.isWanted) = (time, true) }
        return .waits
    }

    /// Notes a batch that was taken.
    /// - Parameter isPending: it waits to be durable, until ``finish(_:of:)``.
    mutating func add(_ amount: CreatedAmount, of key: String, isPending: Bool) {
        accounts[key]?.since += amount
        accounts[key]?.sinceRunning += amount
        if isPending { accounts[key]?.pending += amount }
    }

    /// Notes a part of a transaction that was taken and is durable, or need not be.
    mutating func add(_ part: PushedPart, of key: String) { accounts[key]?.parts.append(part) }

    /// Whether the owner may begin one more stream; counts it.
    /// - Parameter count: counts all that it has begun, which is done at most once a second.
    mutating func mayBeginStream(of owner: Grantee, now: Moment, count: () -> Int) -> Bool {
        guard let countMax = owner.limits[.streams] else { return true }
        let time = now.uptimeMicroseconds
        var known = streamCounts[owner.key] ?? (countMax, 0)
        if known.count >= countMax, time >= known.at + PushAccounts.streamCountMicroseconds { known = (count(), time) }
        let mayBegin = known.count < countMax
        if mayBegin { known.count += 1 }
        streamCounts[owner.key] = known
        return mayBegin
    }

    /// Notes that a batch waits no longer, because it is merged now or never will be.
    mutating func finish(_ amount: CreatedAmount, of key: String) { accounts[key]?.pending -= amount }

    /// Counts on.
    /// - Parameters:
    ///   - isHeld: whether a part may wait for the rest of its transaction.
    ///   - snapshot: is called where a census begins.
    mutating func advance(now: Moment, isHeld: (PushedPart) -> Bool, snapshot: () -> Snapshot) {
        if census == nil {
            let wanted = accounts.values.filter(\.isWanted).map(\.owner)
            guard !wanted.isEmpty else { return }
            for owner in wanted {
                accounts[owner.key]?.isCounted = true
                accounts[owner.key]?.isWanted = false
                let parts = accounts[owner.key]?.parts.filter(isHeld) ?? []
                var (unseen, held) = (accounts[owner.key]?.pending ?? CreatedAmount(), CreatedAmount())
                for part in parts { held += part.amount }
                unseen += held
                accounts[owner.key]?.parts = parts
                accounts[owner.key]?.heldNext = held
                accounts[owner.key]?.sinceRunning = unseen
            }
            census = (ModelCensus(of: snapshot(), for: wanted), now.uptimeMicroseconds)
        }
        guard census?.count.advance() ?? false, let (count, startedAt) = census else { return }
        census = nil
        for (key, account) in accounts where account.isCounted {
            accounts[key]?.isCounted = false
            accounts[key]?.counted = (count.amounts[key] ?? CreatedAmount(), startedAt)
            accounts[key]?.since = account.sinceRunning
            accounts[key]?.held = account.heldNext
        }
    }
}
