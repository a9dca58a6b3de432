import ZeroMQ

/// The connections of the keys that may have so many at one socket.
struct KeyConnections {
    private var connections: [Curve.PublicKey: Set<Connection>] = [:]

    /// Whether a connection is among those that its key may have.
    /// - Parameter countMax: the limit of the key; nil for none.
    mutating func admits(_ connection: Connection?, of key: Curve.PublicKey, atMost countMax: Int?) -> Bool {
        guard let countMax, let connection else {
            if !connections.isEmpty { connections[key] = nil }
            return true
        }
        if connections[key]?.contains(connection) ?? false { return true }
        // libzmq does not report the end of a connection, so closed ones are removed where there is no room.
        if connections[key]?.count ?? 0 >= countMax { connections[key] = connections[key]?.filter(\.isOpen) }
        guard connections[key]?.count ?? 0 < countMax else { return false }
        connections[key, default: []].insert(connection)
        return true
    }
}
