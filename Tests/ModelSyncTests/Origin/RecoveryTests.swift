import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// An origin that has lost its state, its clock, or both.
@Suite struct RecoveryTests {
    private func network() throws -> RelayNetwork {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.addOrigin("other")
        try network.addRelay("relay")
        network.addReplica()
        for origin in 0..<2 { network.connect(.relay(0), to: .origin(origin)) }
        network.connect(.replica(0), to: .relay(0))
        return network
    }

    @Test func `an origin without its state takes it back from a relay and can delete what is gone`() throws {
        var network = try network()
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1]) }
        try network.write(0, "deleted", ["a": 1])
        try network.write(0, "deleted", as: .delete)
        try network.write(1, "5", ["b": 2])
        try network.write(1, "others", ["b": 2])
        let isCalm = network.settle()
        #expect(isCalm)
        network.dead.insert(.origin(0))
        network.run(milliseconds: 3_000)
        let old = network.origins[0]
        // Its clock is a little behind, too.
        let now = Moment(
            wallMilliseconds: network.now.wallMilliseconds - 60_000, uptimeMicroseconds: network.now.uptimeMicroseconds)
        var origin = try Origin(configuration: old.configuration, cache: ModelCache(), now: now)
        #expect(origin.incarnation < old.incarnation)
        var adopted = 0
        for reply in network.ask(.relay(0), .snapshot(rid: 1, prefixes: [.dataPrefix], credit: 64)) {
            switch reply {
            case .records(_, let type, let records):
                for record in records where origin.adopt(record, type: type, now: now) { adopted += 1 }
            case .complete(_, let heads):
                let taken = heads.filter { origin.adopt($0, now: now) }
                #expect(taken.map(\.origin) == ["origin"])
            default: Issue.record("unexpected \(reply)")
            }
        }
        #expect(adopted == 11)
        #expect(origin.cache.count(of: "User") == 10)
        #expect(origin.cache["User", "others"] == nil)
        // What others have written to its models is theirs.
        #expect(origin.cache["User", "5"]?.values == ["a": 1])
        #expect(origin.incarnation > old.incarnation)
        #expect(!origin.hasActions)
        network.origins[0] = origin
        network.dead = []
        try network.write(0, "3", as: .delete)
        try network.write(0, "4", ["a": 9])
        let outcome = try network.write(0, "6", ["a": 1])
        #expect(outcome == .unchanged)
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[0].cache["User", "3"] == nil)
        #expect(network.replicas[0].cache["User", "4"]?["a"] == 9)
        #expect(network.replicas[0].cache["User", "5"]?.values == ["a": 1, "b": 2])
    }

    @Test func `what a publisher takes back reaches those who knew it as one that had nothing`() throws {
        var network = try network()
        try network.write(0, "5", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        let old = network.origins[0]
        network.origins[0] = try Origin(configuration: old.configuration, cache: ModelCache(), now: network.now)
        // This one has never heard of the earlier start.
        let late = network.replicas.count
        network.addReplica()
        network.connect(.replica(late), to: .origin(0))
        network.run(milliseconds: 3_000)
        #expect(network.replicas[late].streamStatus(now: network.now).allSatisfy { $0.state == .live })
        try network.recover(0, from: 0)
        try network.write(0, "6", ["a": 1])
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[late].cache["User", "5"]?["a"] == 1)
    }

    @Test func `what a second relay gives back reaches those who have taken over what the first gave`() throws {
        var network = try network()
        try network.addRelay("later")
        network.connect(.relay(1), to: .origin(0))
        network.connect(.relay(1), to: .origin(1))
        try network.write(0, "5", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        // Only the second relay gets the last write.
        network.dead.insert(.relay(0))
        try network.write(0, "5", ["a": 2])
        network.run(milliseconds: 100)
        let old = network.origins[0]
        network.origins[0] = try Origin(configuration: old.configuration, cache: ModelCache(), now: network.now)
        network.dead = []
        try network.recover(0, from: 0)
        #expect(network.origins[0].cache["User", "5"]?["a"] == 1)
        let first = network.origins[0].incarnation
        #expect(first > old.incarnation)
        network.run(milliseconds: 3_000)
        #expect(network.isLive && network.replicas[0].cache["User", "5"]?["a"] == 1)
        try network.recover(0, from: 1)
        let second = network.origins[0].incarnation
        #expect(second > first)
        // What it holds already is no news.
        try network.recover(0, from: 1)
        #expect(network.origins[0].incarnation == second)
        let isSettled = network.settle()
        #expect(isSettled, "\(network.differences)")
        #expect(network.replicas[0].cache["User", "5"]?["a"] == 2)
    }

    @Test func `an origin whose clock was set back starts anew above what it learns, and its writes win`() throws {
        var network = try network()
        for id in 0..<10 { try network.write(0, "\(id)", ["a": 1]) }
        let isCalm = network.settle()
        #expect(isCalm)
        let old = network.origins[0]
        let early = Moment(
            wallMilliseconds: network.now.wallMilliseconds - 100_000, uptimeMicroseconds: network.now.uptimeMicroseconds
        )
        network.origins[0] = try Origin(configuration: old.configuration, cache: ModelCache(), now: early)
        // Written before anything was learnt: below what the relay holds.
        _ = try network.origins[0].write(
            .merge, type: "User", id: "1", fields: try EncodedFields(["a": 7]), now: early)
        _ = try network.origins[0].write(.merge, type: "User", id: "2", fields: try EncodedFields(["a": 7]), now: early)
        _ = try network.origins[0].write(.delete, type: "User", id: "2", fields: EncodedFields(), now: early)
        network.run(milliseconds: 10_000)
        #expect(network.origins[0].incarnation > old.incarnation)
        #expect(network.notices.contains { $0.kind == .laterStart })
        #expect(network.replicas[0].cache["User", "1"]?["a"] == 7)
        #expect(network.replicas[0].cache["User", "2"] == nil)
        #expect(network.replicas[0].cache["User", "3"]?["a"] == 1)
    }

    @Test func `a later start whose stamps are earlier starts anew above them, and its writes win`() throws {
        var network = try network()
        try network.write(0, "1", ["a": 1])
        network.run(milliseconds: 60_000)
        try network.write(0, "2", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        let old = network.origins[0]
        // It began a minute ago; the clock is set back by half of that.
        network.setBackMilliseconds = 30_000
        network.origins[0] = try Origin(configuration: old.configuration, cache: ModelCache(), now: network.now)
        let start = network.origins[0].incarnation
        #expect(start > old.incarnation && start < old.lastStamp)
        try network.write(0, "2", ["a": 7])
        network.run(milliseconds: 10_000)
        #expect(network.origins[0].incarnation > old.lastStamp)
        #expect(network.notices.count { $0.kind == .laterStart } == 1)
        #expect(network.replicas[0].cache["User", "1"]?["a"] == 1)
        #expect(network.replicas[0].cache["User", "2"]?["a"] == 7)
    }

    @Test func `a stamp that nobody can follow keeps none that is true from being followed`() throws {
        var network = try network()
        try network.write(0, "1", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        func report(_ stamp: Stamp) -> ControlRequest {
            let heads = Heads(origin: "origin", incarnation: 1, stamp: stamp, heads: [])
            return .report(rid: 1, report: ReplicaReport(state: "live", applied: [heads]))
        }
        let before = network.origins[0].incarnation
        for _ in 0..<10 { _ = network.ask(.origin(0), report(.max)) }
        #expect(network.origins[0].incarnation == before)
        #expect(network.notices.count { $0.kind == .laterStart } == 1)
        let later = network.origins[0].lastStamp + 60_000 << 16
        _ = network.ask(.origin(0), report(later))
        #expect(network.origins[0].incarnation > later)
    }

    @Test func `two of one name do not outdo each other without end`() throws {
        var network = try network()
        try network.write(0, "1", ["a": 1])
        let isCalm = network.settle()
        #expect(isCalm)
        let before = network.origins[0].incarnation
        var starts = 0
        var last = before
        for step in 1...600 as ClosedRange<UInt64> {
            let heads = Heads(origin: "origin", incarnation: last + 1, stamp: 0, heads: [])
            let report = ControlRequest.report(rid: step, report: ReplicaReport(state: "live", applied: [heads]))
            _ = network.ask(.origin(0), report)
            if network.origins[0].incarnation != last { starts += 1 }
            last = network.origins[0].incarnation
            network.run(milliseconds: 1_000)
        }
        #expect(starts == 6)
        #expect(network.notices.count { $0.kind == .laterStart } == 6)
    }
}

extension RelayNetwork {
    /// As a publisher takes its models back from a relay.
    fileprivate mutating func recover(_ origin: Int, from relay: Int) throws {
        for reply in ask(.relay(relay), .hello(rid: 1, version: 1, name: "publisher", prefixes: [])) {
            guard case .welcome(_, _, _, _, _, _, let heads, _) = reply else { continue }
            for heads in heads { origins[origin].adopt(heads, now: now) }
        }
        var types: Set<String> = []
        for reply in ask(.relay(relay), .snapshot(rid: 2, prefixes: [.dataPrefix], credit: 64)) {
            guard case .records(_, let type, let records) = reply else { continue }
            for record in records where origins[origin].adopt(record, type: type, now: now) { types.insert(type) }
        }
        origins[origin].resume(types.sorted(), now: now)
    }
}
