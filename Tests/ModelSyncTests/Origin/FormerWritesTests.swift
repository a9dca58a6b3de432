@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// A job that is run again with its store, and relays that do not hold what the earlier run has written.
@Suite struct FormerWritesTests {
    /// The relay holds all of the job's copy: joining that changes nothing.
    private func holdsAll(_ job: PushingJob, _ relay: Int) -> Bool { lacking(job, relay).isEmpty }

    private func lacking(_ job: PushingJob, _ relay: Int) -> [String] {
        let other = job.network.relays[relay].cache
        var lacking: [String] = []
        let snapshot = job.origin.cache.snapshot()
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                let copy = ModelCache()
                let theirs = other.record(type: type, id: record.id, includingTombstones: true)
                if let theirs { copy.commit { $0.join(theirs, type: type) } }
                copy.commit { $0.join(record, type: type) }
                let joined = copy.record(type: type, id: record.id, includingTombstones: true)
                // A touch below the floor says nothing, now or ever.
                let isDeleted = theirs?.exists == false && joined?.exists == false && theirs?.floor == joined?.floor
                // A removed field that they have never had is none to any reader, nor to a digest.
                let isTold = theirs.map { joined?.cells.isEqual(to: $0.cells) ?? false } ?? false
                let isEqual = isTold && joined?.floor == theirs?.floor && joined?.touched == theirs?.touched
                if !isEqual, !isDeleted { lacking.append("\(type) \(record.id)") }
                return true
            }
        }
        return lacking
    }

    /// An earlier run that nobody heard: models, some of them deleted, replaced and touched without a field.
    private func unheard(relays: Int = 1, _ policy: PusherConfiguration.Acknowledgement = .any) throws -> PushingJob {
        var job = try PushingJob(relays: relays, PusherConfiguration(acknowledgement: policy))
        for index in 0..<relays { job.network.dead.insert(.relay(index)) }
        for id in 0..<40 { try job.write("\(id)", Int64(id), type: ["User", "Order"][id % 2]) }
        for id in 0..<5 { try job.write(.delete, "\(id * 2)") }
        try job.write(.replace, "10", ["name": "new"])
        try job.write(.delete, "12")
        try job.write(.merge, "12", ["name": "again"])
        try job.write(.merge, "empty")
        for id in [twins.0, twins.1] { try job.write(id, 1, type: "Twin") }
        try job.write(.merge, "fields", [twins.0: 1, twins.1: 2])
        try job.run(milliseconds: 500)
        return job
    }

    @Test func `what an earlier run has left in its store reaches a relay that was down then`() throws {
        var job = try unheard()
        try job.runAgain()
        try job.run(milliseconds: 5_000)
        #expect(!job.pusher.isDone)
        job.network.dead = []
        try job.run(milliseconds: 10_000)
        #expect(job.pusher.isDone)
        #expect(job.isEqual(0))
        #expect(lacking(job, 0) == [])
        #expect(job.network.relays[0].cache["User", "2"] == nil)
        // The next run has nothing to send.
        try job.runAgain()
        try job.run(milliseconds: 1_000)
        #expect(job.pusher.isDone)
        #expect(job.pusher.status(now: job.network.now)[0].acknowledged == 0)
    }

    @Test func `with every, the relay that was down is compared as well, and with any one of them is enough`() throws {
        for policy in PusherConfiguration.Acknowledgement.allCases {
            var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: policy))
            job.network.dead.insert(.relay(1))
            for id in 0..<20 { try job.write("\(id)", 1) }
            try job.run(milliseconds: 2_000)
            try job.runAgain()
            try job.run(milliseconds: 5_000)
            #expect(job.pusher.isDone == (policy == .any))
            #expect(job.pusher.isCompared == (policy == .any))
            job.network.dead = []
            try job.run(milliseconds: 10_000)
            #expect(job.pusher.isDone)
            #expect(lacking(job, 1) == [])
        }
    }

    @Test func `a relay that has forgotten all between two runs, or during one, is given all again`() throws {
        var job = try PushingJob(relays: 1)
        for id in 0..<20 { try job.write("\(id)", 1) }
        try job.run(milliseconds: 1_000)
        #expect(job.pusher.isDone)
        try job.restartRelay(0)
        try job.runAgain()
        try job.run(milliseconds: 2_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
        // During the run, when all has been compared and nothing was written.
        try job.runAgain()
        try job.run(milliseconds: 1_000)
        try job.restartRelay(0)
        try job.run(milliseconds: 5_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
    }

    @Test func `what others have written later stays, and what they wrote beside it is no difference`() throws {
        var job = try unheard()
        job.network.dead = []
        // Another origin knows the same models, and writes later.
        let other = try Origin(
            configuration: OriginConfiguration(name: "other", streamEndpoint: "memory"), cache: ModelCache(),
            now: job.network.now)
        var origin = other
        for id in [10, 14, 16] {
            let fields = try EncodedFields(["age": .int(1_000)])
            _ = try origin.write(.merge, type: "User", id: "\(id)", fields: fields, now: job.network.now)
        }
        origin.flush()
        for case .publish(let topic, let payload) in origin.takeActions() {
            let request = ControlRequest.push(rid: 1, topic: topic, batch: payload)
            #expect(job.network.ask(.relay(0), request) == [.accepted(rid: 1)])
        }
        try job.runAgain()
        try job.run(milliseconds: 5_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
        for id in [10, 14, 16] { #expect(job.network.relays[0].cache["User", "\(id)"]?["age"] == .int(1_000)) }
        #expect(job.network.relays[0].cache["User", "10"]?["name"] == "new")
        try job.runAgain()
        try job.run(milliseconds: 1_000)
        #expect(job.pusher.isDone)
        #expect(job.pusher.status(now: job.network.now)[0].acknowledged == 0)
    }

    @Test func `of a large store only the buckets that differ are asked for`() throws {
        var job = try PushingJob(relays: 1)
        for id in 0..<3_000 { try job.write("\(id)", 1) }
        try job.run(milliseconds: 3_000)
        #expect(job.pusher.isDone)
        job.network.dead.insert(.relay(0))
        try job.write("7", 2)
        job.network.dead = []
        try job.runAgain()
        job.requests = []
        try job.run(milliseconds: 2_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
        let fetched = job.requests.reduce(0) { count, request in
            guard case .fetch(_, _, let ids) = request else { return count }
            return count + ids.count
        }
        #expect((1...60).contains(fetched))
        #expect(job.pusher.status(now: job.network.now)[0].acknowledged == 1)
    }

    @Test func `what is kept for a relay that is down holds up no other where any is enough`() throws {
        var job = try PushingJob(relays: 2, PusherConfiguration(acknowledgement: .any, byteCountMax: 2_000))
        for index in 0..<2 { job.network.dead.insert(.relay(index)) }
        for id in 0..<100 { try job.write("\(id)", 1) }
        job.network.dead.remove(.relay(0))
        try job.runAgain()
        try job.run(milliseconds: 20_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
        #expect(job.pusher.brokenInvariant() == nil)
    }

    @Test func `what lowered limits forbid is told and fails the job, and all else is sent again`() throws {
        var job = try unheard()
        try job.write(.merge, "large", ["name": .text(String(repeating: "x", count: 2_000))])
        job.network.dead = []
        try job.runAgain(limits: WireLimits(valueByteCount: 1_000))
        try job.run(milliseconds: 10_000)
        #expect(!job.pusher.isDone)
        #expect(job.pusher.failure?.contains("User large cannot be sent again") == true)
        #expect(job.network.notices.count { $0.kind == .pushFailed } == 1)
        #expect(lacking(job, 0) == ["User large"])
        // What is written now is no worse off.
        try job.write("1", 2)
        try job.run(milliseconds: 1_000)
        #expect(job.network.relays[0].cache["User", "1"]?["age"] == .int(2))
        try job.runAgain(limits: .default)
        try job.run(milliseconds: 5_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
    }

    @Test func `what is asked at once is bounded by the size of the ids as well`() throws {
        var job = try PushingJob()
        job.network.dead.insert(.relay(0))
        let ids = (0...).lazy.map { String(repeating: "x", count: 240) + "\($0)" }
            .filter { Fingerprint.bucket(idHash: Fingerprint.fnv($0)) == 7 }
        for id in ids.prefix(20) { try job.write(id, 1) }
        job.network.dead = []
        try job.runAgain(limits: WireLimits(frameByteCount: 4_096))
        job.requests = []
        try job.run(milliseconds: 5_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
        for case .fetch(_, _, let ids) in job.requests {
            #expect(ids.reduce(0) { $0 + $1.utf8.count } <= 2_048)
        }
    }

    /// A run with something to compare whose first question gets this answer.
    private func answered(_ code: ControlErrorCode) throws -> PushingJob {
        var job = try unheard()
        try job.runAgain()
        job.pusher.tick(now: job.network.now)
        for case .request(let relay, let payload) in job.pusher.takeActions() {
            let request = try ControlRequest(decoding: payload.span, limits: .default)
            let reply = ControlReply.error(rid: request.rid, code: code, message: "no")
            job.pusher.receive(relay, reply.encode().span, now: job.network.now)
        }
        return job
    }

    @Test func `a relay that has no time for questions is given batches meanwhile, and is asked again later`() throws {
        var job = try answered(.busy)
        try job.write("new", 1)
        job.pusher.tick(now: job.network.now)
        let methods = try job.pusher.takeActions().compactMap { action -> String? in
            guard case .request(_, let payload) = action else { return nil }
            return try ControlRequest(decoding: payload.span, limits: .default).method
        }
        #expect(methods == ["push"])
        job.pusher.disconnected(0, reason: "reset", now: job.network.now)
        job.network.dead = []
        try job.run(milliseconds: 5_000)
        #expect(job.pusher.isDone)
        #expect(lacking(job, 0) == [])
    }

    @Test func `a relay that can never tell its digests is given up with its reason`() throws {
        let job = try answered(.limit)
        #expect(job.pusher.failure == "limit: no")
    }

    @Test func `whatever connections lose and relays forget, the last run ends when all is where it has to be`() {
        forEachSeed(200) { seed, generator in
            let policy = PusherConfiguration.Acknowledgement.allCases.randomElement(using: &generator) ?? .every
            var job = try PushingJob(
                seed: seed, relays: 2,
                PusherConfiguration(acknowledgement: policy, windowCount: Int.random(in: 1...8, using: &generator)))
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                job.lossPerMille = Int.random(in: 0...300, using: &generator)
                for _ in 0..<Int.random(in: 0...20, using: &generator) {
                    let write = [Write.merge, .merge, .replace, .assign, .delete].randomElement(using: &generator)
                    let field = ["age", "name"].randomElement(using: &generator) ?? "age"
                    let fields: Fields = [field: .int(Int64.random(in: 0...9, using: &generator))]
                    try job.write(
                        write ?? .merge, "\(Int.random(in: 0...9, using: &generator))",
                        write == .delete ? [:] : fields,
                        type: ["User", "Order"].randomElement(using: &generator) ?? "User")
                    try job.run(milliseconds: [0, 5, 50].randomElement(using: &generator) ?? 0)
                }
                let relay = Int.random(in: 0...1, using: &generator)
                if Int.random(in: 0...3, using: &generator) == 0 { job.network.dead.insert(.relay(relay)) }
                try job.run(milliseconds: [0, 50, 3_000].randomElement(using: &generator) ?? 0)
                // Killed here, with whatever is on its way.
                if Bool.random(using: &generator) { try job.restartRelay(relay) }
                job.network.dead = []
                try job.runAgain()
            }
            try job.run(milliseconds: 2_000)
            job.lossPerMille = 0
            try job.run(milliseconds: 20_000)
            try #require(job.pusher.failure == nil)
            try #require(job.pusher.isDone)
            try #require(job.pusher.brokenInvariant() == nil)
            let relays = policy == .any ? [0, 1].filter { holdsAll(job, $0) } : [0, 1]
            try #require(!relays.isEmpty)
            for relay in relays { try #require(lacking(job, relay) == []) }
        }
    }
}

extension [Cell] {
    /// Both have the same fields with the same versions, but for removed ones.
    fileprivate func isEqual(to other: [Cell]) -> Bool {
        filter { $0.value != .undefined } == other.filter { $0.value != .undefined }
    }
}
