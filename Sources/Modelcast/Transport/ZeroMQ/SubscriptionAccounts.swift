import ModelGrants
import ZeroMQ

/// The subscriptions of each connection to the streams of a sender, and its key: who is to be cut, and when.
///
/// libzmq keeps a node for each byte of a subscription, and frees all of a connection at once, under the lock of the
/// socket. So a connection, and all connections of a key, may have so many. All that have no key may have so many
/// together, and those that have most give way: the others cannot be told apart from them.
struct SubscriptionAccounts {
    private struct Account {
        /// Nil where no keys are used.
        let key: Curve.PublicKey?
        /// The types that the stream brings.
        let readable: [NamePattern]
        var count = 0
        var byteCount = 0
    }

    private var accounts: [Connection: Account] = [:]
    private var countMax = 1024
    /// How many bytes the subscriptions of a key have at most: connections that are gone may be counted still.
    private var byteCounts: [Curve.PublicKey: Int] = [:]
    /// The same of all connections without a key.
    private var keylessByteCount = 0

    /// How many subscriptions one connection may begin.
    private static let subscriptionCountMax = 8192
    /// How many bytes these may have, and those of all connections of a key.
    private static let byteCountMax = (connection: 256 << 10, key: 4 << 20)
    /// How many bytes those of all connections without a key may have: so many, and more for each. A subscriber takes
    /// some hundred.
    private static let keylessByteCountMax = (all: 4 << 20, each: 1 << 10)

    /// Counts a message of a subscriber. Ends are not counted, as nobody says whether what ends had begun.
    /// - Returns: whether the connection may go on.
    mutating func count(
        _ frame: [UInt8], of connection: Connection, key: Curve.PublicKey?, reading readable: [NamePattern]
    ) -> Bool {
        if accounts[connection] == nil, accounts.count >= countMax {
            accounts = accounts.filter { $0.key.isOpen }
            countMax = max(1024, 2 * accounts.count)
        }
        var account = accounts[connection] ?? Account(key: key, readable: readable)
        if frame.first == 1 {
            account.count += 1
            account.byteCount += frame.count
            if let key = account.key {
                byteCounts[key, default: 0] += frame.count
            } else {
                keylessByteCount += frame.count
            }
        }
        accounts[connection] = account
        guard account.count <= SubscriptionAccounts.subscriptionCountMax,
            account.byteCount <= SubscriptionAccounts.byteCountMax.connection
        else { return false }
        if let key = account.key { return hasRoom(key) }
        makeRoom()
        return accounts[connection] != nil
    }

    /// Ends the connections without keys that have subscribed to most, where all of them have too much.
    private mutating func makeRoom() {
        guard keylessByteCount > SubscriptionAccounts.keylessByteCountMax.all else { return }
        accounts = accounts.filter { $0.key.isOpen }
        let keyless = accounts.filter { $0.value.key == nil }.sorted { $0.value.byteCount > $1.value.byteCount }
        keylessByteCount = keyless.reduce(0) { $0 + $1.value.byteCount }
        let bound = SubscriptionAccounts.keylessByteCountMax
        let byteCountMax = bound.all + bound.each * keyless.count
        guard keylessByteCount > byteCountMax else { return }
        // More than needed, so that this look at all of them is rare.
        for (connection, account) in keyless where keylessByteCount > byteCountMax / 4 * 3 {
            keylessByteCount -= account.byteCount
            cut(connection)
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

    /// Ends a connection.
    mutating func cut(_ connection: Connection) {
        connection.cut()
        accounts[connection] = nil
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
