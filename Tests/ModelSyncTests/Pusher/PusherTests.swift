import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

@Suite struct PusherTests {
    @Test func `what is pushed is acknowledged, and replicas of the relay get it`() throws {
        var job = try PushingJob()
        job.network.addReplica()
        job.network.connect(.replica(0), to: .relay(0))
        for id in 0..<300 { try job.write("\(id)", 1, type: ["User", "Order"][id % 2]) }
        #expect(job.pusher.unacknowledged == 300)
        try job.run(milliseconds: 2_000)
        #expect(job.pusher.isDone)
        #expect(job.isEqual(0))
        #expect(job.network.replicas[0].cache.count(of: "User") == 150)
        #expect(job.pusher.status(now: job.network.now)[0].resent == 0)
    }

    @Test func `whatever connections lose, all is acknowledged in the end and relays hold it`() {
        var resent: UInt64 = 0
        forEachSeed(300) { seed, generator in
            let policy = PusherConfiguration.Acknowledgement.allCases.randomElement(using: &generator) ?? .every
            var job = try PushingJob(
                seed: seed, relays: 2,
                PusherConfiguration(
                    acknowledgement: policy, windowCount: Int.random(in: 1...8, using: &generator)))
            job.lossPerMille = Int.random(in: 0...300, using: &generator)
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                try job.write(
                    "\(Int.random(in: 0...9, using: &generator))", Int64.random(in: 0...9, using: &generator),
                    type: ["User", "Order"].randomElement(using: &generator) ?? "User")
                try job.run(milliseconds: [0, 5, 50].randomElement(using: &generator) ?? 0)
            }
            try job.run(milliseconds: 3_000)
            job.lossPerMille = 0
            try job.run(milliseconds: 20_000)
            try #require(job.pusher.failure == nil)
            try #require(job.pusher.isDone)
            try #require(job.isEqual(0) && job.isEqual(1))
            resent += job.pusher.status(now: job.network.now).reduce(0) { $0 + $1.resent }
        }
        #expect(resent > 0)
    }

    @Test func `one relay that does not answer holds up every, and not any`() throws {
        for policy in PusherConfiguration.Acknowledgement.allCases {
            var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: policy))
            job.network.dead.insert(.relay(1))
            for id in 0..<20 { try job.write("\(id)", 1) }
            try job.run(milliseconds: 10_000)
            #expect(job.pusher.isDone == (policy == .any))
            #expect(job.reconnects > 1)
            job.network.dead = []
            try job.run(milliseconds: 10_000)
            #expect(job.pusher.isDone)
            #expect(job.isEqual(1))
        }
    }

    @Test func `a relay that has lost what it acknowledged is told all that is still kept, or given up`() throws {
        var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: .every))
        job.network.dead.insert(.relay(1))
        for id in 0..<10 { try job.write("\(id)", 1) }
        try job.run(milliseconds: 1_000)
        // The other relay has nothing yet, so everything is kept.
        try job.network.restartRelay(0)
        job.network.dead = []
        try job.write("10", 1)
        try job.run(milliseconds: 20_000)
        #expect(job.pusher.isDone)
        #expect(job.isEqual(0) && job.isEqual(1))
        // Now both have all, nothing is kept, and a relay that starts with nothing cannot be helped.
        try job.network.restartRelay(0)
        try job.write("11", 1)
        try job.run(milliseconds: 20_000)
        #expect(!job.pusher.isDone)
        #expect(job.pusher.failure?.contains("lost what it had acknowledged") == true)
        #expect(job.network.notices.contains { $0.kind == .pushFailed })
    }

    @Test func `what is kept is bounded: in any, a relay that falls too far behind is given up`() throws {
        var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: .any, byteCountMax: 2_000))
        job.network.dead.insert(.relay(1))
        for id in 0..<200 {
            try job.write("\(id)", 1)
            try job.run(milliseconds: 10)
            #expect(!job.pusher.isFull)
        }
        #expect(job.pusher.isDone)
        #expect(job.pusher.failure == nil)
        guard case .failed = job.pusher.status(now: job.network.now)[1].state else {
            Issue.record("the relay was not given up")
            return
        }
        var strict = try PushingJob(relays: 1, PusherConfiguration(byteCountMax: 2_000))
        strict.network.dead.insert(.relay(0))
        for id in 0..<60 { try strict.write("\(id)", 1) }
        #expect(strict.pusher.isFull)
    }

    @Test func `a publisher is no relay, and the job is told so`() throws {
        var job = try PushingJob()
        try job.network.addOrigin("publisher")
        try job.write("1", 1)
        job.pusher.tick(now: job.network.now)
        for case .request(_, let payload) in job.pusher.takeActions() {
            for reply in job.network.ask(.origin(0), bytes: payload) {
                job.pusher.receive(0, reply.encode().span, now: job.network.now)
            }
        }
        #expect(job.pusher.failure?.contains("push goes to a relay") == true)
    }

    @Test func `a durable relay acknowledges when a batch is stored, and what failed is pushed again`() throws {
        var job = try PushingJob { $0.persistsPushes = true }
        for id in 0..<5 { try job.write("\(id)", 1) }
        try job.run(milliseconds: 100)
        #expect(job.network.persists.count == 5)
        #expect(job.pusher.unacknowledged == 5)
        func answer(_ body: (RelayMachine, UInt64) -> Void) throws {
            for token in job.network.persists { body(job.network.relays[0], token) }
            job.network.persists = []
            for case .reply(_, let payload) in job.network.relays[0].takeActions() {
                job.pusher.receive(0, payload.span, now: job.network.now)
            }
        }
        let moment = job.network.now
        try answer { $0.persistFailed($1, reason: "the disk is full", now: moment) }
        #expect(job.pusher.status(now: moment)[0].lastError == "internal: the disk is full")
        #expect(job.pusher.unacknowledged == 5)
        try job.run(milliseconds: 500)
        #expect(job.network.persists.count == 5)
        #expect(job.pusher.unacknowledged == 5)
        try answer { relay, token in relay.persisted(token, now: moment) }
        #expect(job.pusher.isDone)
        #expect(job.network.relays[0].cache.count(of: "User") == 5)
    }
}
