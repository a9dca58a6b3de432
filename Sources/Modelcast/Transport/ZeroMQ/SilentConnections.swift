import ZeroMQ

/// The connections of a serving socket that have not said anything yet. Nobody knows whose they are, as libzmq names
/// the key only with a message.
///
/// They count for no key, so a process with one connection could hold any number of others. Those that have been silent
/// for long are ended where there are many, the oldest first. That harms nobody: one that meant to speak comes back.
struct SilentConnections {
    private struct Silent {
        let connection: Connection
        let since: UInt64
    }

    private var silent: [Int32: Silent] = [:]
    private var nextLook: UInt64 = 0

    /// How many may stay for as long as they like, such as jobs that have nothing to push yet.
    private static let countMax = 64
    /// How long any connection may take to begin to speak.
    private static let patienceMicroseconds: UInt64 = 10_000_000
    private static let lookMicroseconds: UInt64 = 1_000_000

    /// Notes a connection that has come or gone.
    mutating func note(_ event: SocketEvent, at time: UInt64) {
        guard let descriptor = event.descriptor else { return }
        silent[descriptor] = nil
        if event.kind == .accepted, let connection = Connection(descriptor: descriptor) {
            silent[descriptor] = Silent(connection: connection, since: time)
        }
    }

    var isEmpty: Bool { silent.isEmpty }
    /// The connections that have not said anything, in no order.
    var connections: some Collection<Connection> { silent.values.lazy.map(\.connection) }

    /// Notes that a connection has sent something.
    mutating func spoke(_ connection: Connection) {
        if !silent.isEmpty { silent[connection.descriptor] = nil }
    }

    /// Ends what has been silent for too long, where there is too much of it. Called after the events that have come
    /// were noted, so that no descriptor is another's by now.
    mutating func cutExcess(at time: UInt64) {
        guard silent.count > SilentConnections.countMax, time >= nextLook else { return }
        nextLook = time + SilentConnections.lookMicroseconds
        let oldest = silent.values.sorted { $0.since < $1.since }.dropLast(SilentConnections.countMax)
        for one in oldest where time >= one.since + SilentConnections.patienceMicroseconds { cut(one.connection) }
    }

    /// Ends all, as one of them may belong to a key that has lost its rights.
    mutating func cutAll() { for one in silent.values { cut(one.connection) } }

    private mutating func cut(_ connection: Connection) {
        connection.cut()
        silent[connection.descriptor] = nil
    }
}
