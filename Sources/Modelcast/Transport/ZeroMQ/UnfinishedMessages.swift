import ZeroMQ

/// Finds the connections that send a message which does not end.
///
/// libzmq hands a message of several frames over when its last one has come, and until then bounds neither their number
/// nor their bytes. Nobody else sends much of which nothing is handed over: a request has one frame, of bounded size.
struct UnfinishedMessages {
    /// A connection, as it was at the last look.
    private struct Seen {
        /// How many messages had been handed over.
        let messageCount: UInt64
        /// The bytes that libzmq had read when that was first seen.
        let base: UInt64
        var byteCount: UInt64
    }

    private var seen: [Connection: Seen] = [:]
    /// When to look next, on the clock of ``Moment/uptimeMicroseconds``.
    private(set) var nextLook: UInt64 = 0
    /// More bytes than one message may have.
    private let byteCountMax: UInt64

    private static let lookMicroseconds: UInt64 = 100_000
    /// A look at so many connections may take place once in that time; at more it is put off.
    private static let lookCount = 128

    init(frameByteCount: Int) { byteCountMax = 2 * UInt64(frameByteCount) }

    /// The connections that are to be ended. Called when all messages that had come were handed over.
    /// - Parameter connections: all that are open, with how many of their messages were handed over.
    mutating func look(
        at connections: some Collection<(connection: Connection, messageCount: UInt64)>, at time: UInt64
    ) -> [Connection] {
        nextLook =
            time + UnfinishedMessages.lookMicroseconds
            * UInt64(1 + connections.count / UnfinishedMessages.lookCount)
        var (found, present): ([Connection], [Connection: Seen]) = ([], [:])
        for (connection, messageCount) in connections {
            let byteCount = connection.takenByteCount
            guard var former = seen[connection], former.messageCount == messageCount else {
                present[connection] = Seen(messageCount: messageCount, base: byteCount, byteCount: byteCount)
                continue
            }
            // A whole message, read by the last look, would have been handed over by now.
            if former.byteCount > former.base + byteCountMax {
                found.append(connection)
                continue
            }
            former.byteCount = byteCount
            present[connection] = former
        }
        seen = present
        return found
    }
}
