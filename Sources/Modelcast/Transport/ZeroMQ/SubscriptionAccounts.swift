import ModelGrants
import ModelRecord
import ModelSync
import ModelWire
import ZeroMQ

/// The subscriptions of each connection to the streams of a sender, and its key: who is to be cut, and when.
///
/// libzmq keeps a node for each byte of a subscription that no other shares, and looks at all nodes when a connection
/// ends, under the lock of the socket. So a connection, and all connections of a key, may have so many. All that have
/// no key may have so many together, where what several have counts once, and those that have most give way: the others
/// cannot be told apart from them.
struct SubscriptionAccounts {
    private struct Account {
        /// Nil where no keys are used.
        let key: Curve.PublicKey?
        /// The types that the stream brings.
        let readable: [NamePattern]
        var count = 0
        var byteCount = 0
        var barriers = TokenBucket()
        /// The subscriptions of a connection without a key, by their hashes, which nobody outside can choose.
        var prefixes: [(hash: UInt64, byteCount: Int)] = []
    }

    private var accounts: [Connection: Account] = [:]
    private var countMax = 1024
    /// The connections that were ended last. What they have sent before is still on its way, and counts no more.
    private var ended: Set<Connection> = []
    /// How many bytes the subscriptions of a key have at most: connections that are gone may be counted still.
    private var byteCounts: [Curve.PublicKey: Int] = [:]
    /// The subscriptions of all connections without a key, by their hashes, and how many bytes they have.
    private var keyless: Set<UInt64> = []
    private var keylessByteCount = 0
    /// How many bytes they may have, as far as was looked.
    private var keylessRoom = keylessByteCountMax.all

    /// How many subscriptions one connection may begin.
    private static let subscriptionCountMax = 8192
    /// How many bytes these may have, and those of all connections of a key.
    private static let byteCountMax = (connection: 256 << 10, key: 1 << 20)
    /// How many bytes different ones of all connections without a key may have: so many, and more for each. A
    /// subscriber takes some hundred, and most of them share theirs.
    private static let keylessByteCountMax = (all: 512 << 10, each: 512)

    /// How many barriers of one connection are answered: a replica raises one, and another after two seconds where that
    /// has no answer.
    private static let barrierRate = RequestBudget.Rate(burst: 8, perSecond: 1)

    /// A connection may raise a barrier now. Each has an answer with the heads of everything.
    mutating func mayRaiseBarrier(_ connection: Connection, at time: UInt64) -> Bool {
        accounts[connection]?.barriers.take(of: SubscriptionAccounts.barrierRate, at: time) ?? true
    }

    /// Counts a message of a subscriber. Ends are not counted, as nobody says whether what ends had begun.
    /// - Returns: whether the connection may go on.
    mutating func count(
        _ frame: [UInt8], of connection: Connection, key: Curve.PublicKey?, reading readable: [NamePattern]
    ) -> Bool {
        if accounts[connection] == nil, accounts.count >= countMax {
            forgetGone()
            countMax = max(1024, 2 * accounts.count)
        }
        var account = accounts[connection] ?? Account(key: key, readable: readable)
        if frame.first == 1 {
            account.count += 1
            account.byteCount += frame.count
            if let key = account.key {
                byteCounts[key, default: 0] += frame.count
            } else {
                let prefix = (hash: SeededHash.of(frame.span), byteCount: frame.count)
                account.prefixes.append(prefix)
                if keyless.insert(prefix.hash).inserted { keylessByteCount += prefix.byteCount }
            }
        }
        let (count, byteCount) = (account.count, account.byteCount)
        accounts[connection] = account
        guard count <= SubscriptionAccounts.subscriptionCountMax,
            byteCount <= SubscriptionAccounts.byteCountMax.connection
        else { return false }
        if let key = account.key { return hasRoom(key) }
        makeRoom()
        return accounts[connection] != nil
    }

    /// Ends the connections without keys that have subscribed to most, where all of them have too much.
    private mutating func makeRoom() {
        guard keylessByteCount > keylessRoom else { return }
        let open = accounts.filter { $0.value.key == nil && $0.key.isOpen }
            .sorted { $0.value.byteCount < $1.value.byteCount }
        let bound = SubscriptionAccounts.keylessByteCountMax
        keylessRoom = bound.all + bound.each * open.count
        // Counted anew, as connections may have gone.
        (keyless, keylessByteCount) = ([], 0)
        for (_, account) in open { add(account) }
        guard keylessByteCount > keylessRoom else { return }
        (keyless, keylessByteCount) = ([], 0)
        for (connection, account) in open {
            let more = account.prefixes.reduce(0) { $0 + (keyless.contains($1.hash) ? 0 : $1.byteCount) }
            // Less than there is room for, so that this look at all of them is rare.
            if keylessByteCount + more <= keylessRoom / 4 * 3 { add(account) } else { cut(connection) }
        }
    }

    /// Counts the subscriptions of an account among those of all without keys.
    private mutating func add(_ account: Account) {
        for prefix in account.prefixes where keyless.insert(prefix.hash).inserted {
            keylessByteCount += prefix.byteCount
        }
    }

    private mutating func hasRoom(_ key: Curve.PublicKey) -> Bool {
        guard byteCounts[key] ?? 0 > SubscriptionAccounts.byteCountMax.key else { return true }
        byteCounts = [:]
        for (connection, account) in accounts where connection.isOpen {
            if let key = account.key { byteCounts[key, default: 0] += account.byteCount }
        }
        return byteCounts[key] ?? 0 <= SubscriptionAccounts.byteCountMax.key
    }

    /// Forgets the connections that others have ended.
    mutating func forgetGone() { accounts = accounts.filter { $0.key.isOpen } }

    /// The connection was ended, as one of the last.
    func hasEnded(_ connection: Connection) -> Bool { !ended.isEmpty && ended.contains(connection) }

    /// Ends a connection.
    mutating func cut(_ connection: Connection) {
        connection.cut()
        accounts[connection] = nil
        if ended.count >= 4096 { ended = [] }
        ended.insert(connection)
    }

    /// Ends the connections whose keys may read other types now.
    /// - Parameter readable: the types that a key may read.
    mutating func cut(unless readable: (Curve.PublicKey) -> [NamePattern]?) {
        let over = accounts.filter { $0.value.key.flatMap(readable) != $0.value.readable }
        for connection in over.keys { cut(connection) }
    }

    /// The types that the streams with subscribers bring.
    var used: Set<[NamePattern]> { Set(accounts.lazy.filter { $0.key.isOpen }.map(\.value.readable)) }
}
