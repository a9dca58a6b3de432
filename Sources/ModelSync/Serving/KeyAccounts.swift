import ModelGrants

/// The uses that the owners of keys with limits have made lately, all connections of a key together. Keys without
/// limits have no account, so they cost nothing.
struct KeyAccounts: Sendable {
    private struct Account {
        var requests = RateMeter()
        var updates = RateMeter()
        /// How many refusals by each limit the log was not told of, and when it may be told again.
        var untold: [KeyLimit: (count: UInt64, nextAt: UInt64)] = [:]
    }

    /// The time between two log lines of one key and one limit.
    private static let lineMicroseconds: UInt64 = 10_000_000

    /// There are no more than keys with limits in all grants that have held.
    private var accounts: [String: Account] = [:]

    /// Takes one request of the owner.
    /// - Returns: the refusal, where the owner has made too many.
    mutating func takeRequest(of grantee: Grantee, now: Moment) -> String? {
        guard let rate = grantee.limits[.requests] else { return nil }
        let isOpen = accounts[grantee.key, default: Account()].requests.isOpen(
            perSecond: rate, at: now.uptimeMicroseconds)
        guard isOpen else { return grantee.message(.requests, "requests a second; try again in a second") }
        accounts[grantee.key]?.requests.take(1)
        return nil
    }

    /// Counts a refusal by a limit.
    /// - Returns: how many there were since the log was told of it last; nil where it is not told now.
    mutating func noteRefusal(by limit: KeyLimit, of grantee: Grantee, now: Moment) -> UInt64? {
        let time = now.uptimeMicroseconds
        var (count, nextAt) = accounts[grantee.key]?.untold[limit] ?? (0, 0)
        count += 1
        let isTold = time >= nextAt
        if isTold { nextAt = time + KeyAccounts.lineMicroseconds }
        accounts[grantee.key, default: Account()].untold[limit] = (isTold ? 0 : count, nextAt)
        return isTold ? count : nil
    }

    /// Why no updates of the owner are taken now; nil where some are.
    mutating func refusalOfUpdates(of grantee: Grantee, now: Moment) -> String? {
        guard let rate = grantee.limits[.rate] else { return nil }
        let isOpen = accounts[grantee.key, default: Account()].updates.isOpen(
            perSecond: rate, at: now.uptimeMicroseconds)
        return isOpen ? nil : grantee.message(.rate, "updates a second; try again in a second")
    }

    /// Takes so many updates of the owner, which may be more than it has left: the next ones wait for longer then.
    mutating func takeUpdates(_ count: Int, of grantee: Grantee) {
        if grantee.limits[.rate] != nil { accounts[grantee.key]?.updates.take(count) }
    }
}
