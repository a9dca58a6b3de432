import Foundation

/// The report of a driver about one measurement: a line of JSON, which it prints only where everything has arrived.
struct PeerReport: Decodable, Hashable, Sendable {
    /// The names and versions of server and client.
    var server: String
    var client: String
    var updates: Int
    /// How many messages, invalidations or values came to the subscriber.
    var received: Int
    /// How many models the subscriber had to ask for.
    var fetched: Int
    /// The time from the first request until the subscriber had everything.
    var seconds: Double

    var perSecond: Double { Double(updates) / seconds }

    /// Checks that the report is about the updates that were asked for, and that nothing was lost.
    /// - Throws: ``BenchError`` otherwise.
    func check(_ peer: BenchPeer, updates expected: Int) throws {
        guard updates == expected, seconds > 0, seconds.isFinite, received >= 0, fetched >= 0 else {
            throw BenchError("\(peer.name): the driver was asked for \(expected) updates and told of something else")
        }
        guard received <= updates, received == updates || peer.mayReplace, received > 0 else {
            throw BenchError("\(peer.name): \(received) of \(updates) updates arrived; no figure counts")
        }
    }

    /// The sentence about the peer below the table.
    func note(_ peer: BenchPeer) -> String {
        var text = "\(peer.name): \(server), \(client). \(peer.description)"
        if peer.mayReplace {
            text += ". Of \(Figures.grouped(updates)) updates \(Figures.grouped(received)) were told of"
            text += fetched > 0 ? ", and \(Figures.grouped(fetched)) hashes were fetched" : ""
            text += "; the others were replaced by newer ones before"
        }
        return text + "."
    }
}
