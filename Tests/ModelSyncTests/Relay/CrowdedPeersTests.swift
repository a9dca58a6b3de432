import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// More peers than an origin remembers. Those that are strangers begin with 66.
@Suite struct CrowdedPeersTests {
    /// More than the 4,096 peers that are remembered: one that was heard of before them all is the longest silent.
    private static let crowdCount = 4_200

    private let served: [UInt8] = [99]
    private let reporting: [UInt8] = [98]

    @Test func `a snapshot under way reaches its end while thousands of new peers crowd in`() throws {
        var network = RelayNetwork()
        // One record in a chunk.
        try network.addOrigin("origin") { $0.chunkByteCount = 1 }
        for id in 0..<3 { try network.write(0, "\(id)", ["text": .text(String(repeating: "x", count: 200))]) }
        network.run(milliseconds: 20)
        var expected: [CellRecord] = []
        network.origins[0].cache.snapshot().forEach(type: "User", includingTombstones: true) { record in
            expected.append(record)
            return true
        }
        #expect(network.ask(.origin(0), .report(rid: 1, report: ReplicaReport(state: "live")), from: reporting).isEmpty)

        let begin = ControlRequest.snapshot(rid: 1, prefixes: [Topic.dataPrefix], credit: 1)
        var replies = network.ask(.origin(0), begin, from: served)
        var strangers = Strangers(seed: 4)
        for round in 1...3 {
            network.run(milliseconds: 1)
            for _ in 0..<CrowdedPeersTests.crowdCount {
                let (identity, frame) = strangers.next()
                _ = network.ask(.origin(0), bytes: frame, from: identity)
            }
            #expect(network.origins[0].connectedPeers.count == 4_096)
            // What is written meanwhile is not in the snapshot: it is one state.
            try network.write(0, "\(round)", ["text": "changed"])
            replies += network.ask(.origin(0), .credit(rid: 1, count: 1), from: served)
        }

        #expect(replies.map(\.method) == ["records", "records", "records", "complete"])
        let received = replies.flatMap { reply -> [CellRecord] in
            if case .records(1, "User", let records) = reply { records } else { [] }
        }
        #expect(received.count == expected.count)
        #expect(Set(received) == Set(expected))
        #expect(network.origins[0].counters[.snapshotsAbandoned] == 0)
        // Peers that have reported are remembered before strangers too.
        #expect(network.origins[0].connectedPeers.contains { $0.identity == reporting && $0.isLive })
    }
}

/// Requests of peers that were never heard of before, each of which sends one.
private struct Strangers {
    private var generator: SeededGenerator
    private var count = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// They ask for the number that the honest snapshot has, should anybody confuse the peers.
    mutating func next() -> (identity: [UInt8], frame: [UInt8]) {
        count += 1
        return ([66, UInt8(count >> 8), UInt8(count & 255)], frame())
    }

    private mutating func frame() -> [UInt8] {
        // Few of them report or begin a snapshot: there is always a peer that may make way.
        switch count % 8 {
        case 0: return ControlRequest.snapshot(rid: 1, prefixes: [Topic.dataPrefix], credit: 0).encode()
        case 1: return ControlRequest.report(rid: 1, report: ReplicaReport(state: "live")).encode()
        case 2: return ControlRequest.hello(rid: 1, version: 1, name: "h", prefixes: []).encode()
        case 3: return ControlRequest.credit(rid: 1, count: .max).encode()
        case 4: return ControlRequest.cancel(rid: 1).encode()
        case 5: return ControlRequest.digest(rid: 1, type: "User", bits: 8).encode()
        default: return .random(lengths: 0...40, using: &generator)
        }
    }
}
