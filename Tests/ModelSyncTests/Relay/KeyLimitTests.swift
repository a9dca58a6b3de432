import ModelCache
import ModelGrants
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// The limits of keys, all connections of a key together.
@Suite struct KeyLimitTests {
    private static func grantee(_ words: String, name: String = "jobs") throws -> Grantee {
        let key = String(repeating: String(name.prefix(1)), count: 40)
        let grant = try #require(try Grants(parsing: "grant \(key) \(name) \(words)").all.first)
        return Grantee(key: key, name: name, rights: grant.rights, limits: grant.limits)
    }

    private static let free = Result { try grantee("publish:* origin=other-*", name: "other") }

    /// One batch of a job of its own.
    private static func batch(
        _ job: String, _ operation: UpdateOperation = .merge, ids: [String], value: Value = 1,
        type: String = "User",
        now: Moment
    ) throws -> [UInt8] {
        var writer = BatchWriter()
        let stamp = now.wallMilliseconds << 16
        for (index, id) in ids.enumerated() {
            try writer.append(
                operation, stamp: stamp + UInt64(index), id: id, fields: operation == .delete ? [:] : ["a": value])
        }
        return writer.finish(origin: job, incarnation: stamp, sequence: 1)
    }

    private static func push(
        _ batch: [UInt8], _ network: inout RelayNetwork, from peer: [UInt8] = [99], as grantee: Grantee,
        type: String = "User"
    ) -> String {
        let request = ControlRequest.push(rid: 1, topic: .data(type: type), batch: batch)
        let reply = network.ask(.relay(0), request, from: peer, as: grantee).first
        return switch reply {
        case .error(_, let code, let message)?: "\(code.rawValue): \(message)"
        case .accepted?: "accepted"
        default: "nothing"
        }
    }

    /// Pushes as a pusher does that waits when it is told to, and makes durable what is to be.
    private static func pushPatiently(
        _ batch: [UInt8], _ network: inout RelayNetwork, as grantee: Grantee
    ) throws -> String {
        var answer = ""
        for _ in 0..<4 {
            answer = push(batch, &network, as: grantee)
            if answer == "nothing" {
                network.relays[0].persisted(try #require(network.persists.last), now: network.now)
                network.carryOutAll()
                answer = "accepted"
            }
            guard answer.hasPrefix("busy") else { break }
            network.run(milliseconds: 40)
        }
        return answer
    }

    /// The amount that a key holds, counted by looking at everything.
    private static func held(by grantee: Grantee, in relay: RelayMachine) -> CreatedAmount {
        var amount = CreatedAmount()
        for type in relay.cache.types {
            relay.cache.snapshot().forEach(type: type, includingTombstones: true) { record in
                if record.origins.contains(where: grantee.rights.mayBe) {
                    amount += CreatedAmount(ids: 1, byteCount: record.byteCount)
                }
                return true
            }
        }
        return amount
    }

    @Test(arguments: [false, true])
    func `a key never holds more than its limits, is refused only there, and may always delete`(isStored: Bool) throws {
        forEachSeed(40) { _, generator in
            var network = RelayNetwork()
            try network.addRelay("relay") { $0.persistsPushes = isStored }
            let relay = network.relays[0]
            let (ids, bytes) = (
                Int.random(in: 3...30, using: &generator), Int.random(in: 2_000...9_000, using: &generator)
            )
            let owner = try Self.grantee("publish:* origin=job-* ids=\(ids) bytes=\(bytes)")
            var (accepted, refused) = (0, 0)
            // What nobody is refused for, and is not known before the next count: with its time.
            var uncounted: [(time: UInt64, byteCount: Int)] = []
            for step in 0..<120 {
                network.time += 1_000
                let isOther = Int.random(in: 0..<8, using: &generator) == 0
                let operation: UpdateOperation = [.merge, .merge, .replace, .delete].randomElement(using: &generator)!
                let touched = Set(
                    (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                        "\(Int.random(in: 0..<60, using: &generator))"
                    })
                let value = Value.text(String(repeating: "x", count: Int.random(in: 0...400, using: &generator)))
                let batch = try Self.batch(
                    "\(isOther ? "other" : "job")-\(step)", operation, ids: touched.sorted(), value: value,
                    now: network.now)
                let pusher = isOther ? try Self.free.get() : owner
                let before = Self.held(by: owner, in: relay)
                let answer = try Self.pushPatiently(batch, &network, as: pusher)
                let held = Self.held(by: owner, in: relay)
                #expect(held.ids <= ids, "\(held) of \(ids)")
                // A model that is shared grows by the writes of others as well, and a deletion leaves a mark in it.
                if isOther || operation == .delete {
                    uncounted.append((network.time, max(0, held.byteCount - before.byteCount)))
                }
                let grown = uncounted.filter { $0.time + 11_000_000 > network.time }.reduce(0) { $0 + $1.byteCount }
                #expect(
                    held.byteCount <= max(bytes + grown, before.byteCount),
                    "\(held) after \(before), \(operation) by \(pusher.name), of \(bytes), \(grown) of them free")
                if isOther {
                    #expect(answer == "accepted")
                } else if answer == "accepted" {
                    accepted += 1
                } else {
                    refused += 1
                    let known = touched.map { relay.cache.record(type: "User", id: $0, includingTombstones: true) }
                    let news = known.filter { !($0?.isWritten(by: owner.rights.mayBe) ?? false) }
                    let isPastIDs = !news.isEmpty && held.ids + news.count > ids
                    // By estimate, which is not far from what a batch adds at most.
                    let addsBytes = operation != .delete || !news.isEmpty
                    let added = touched.count * 600 + news.reduce(0) { $0 + ($1?.byteCount ?? 0) }
                    let isPastBytes = addsBytes && held.byteCount + added > bytes
                    if !isPastIDs && !isPastBytes {
                        // The count that refused may be ten seconds old; a newer one lets the batch in.
                        network.run(milliseconds: 10_000)
                        let again = try Self.pushPatiently(batch, &network, as: owner)
                        #expect(
                            again == "accepted",
                            "\(operation): \(again) with \(held) of \(ids), \(bytes), \(news.count) new")
                    }
                    #expect(answer.hasPrefix("limit: \(answer.contains("ids=") ? "ids=\(ids)" : "bytes=\(bytes)") "))
                }
            }
            #expect(accepted > 0 && refused > 0)
        }
    }

    @Test func `what was deleted and is forgotten is free again`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.replica.tombstoneRetention = .seconds(60) }
        let owner = try Self.grantee("publish:User origin=job-* ids=2")
        func push(_ job: String, _ ids: [String], _ operation: UpdateOperation = .merge) throws -> String {
            let batch = try Self.batch(job, operation, ids: ids, now: network.now)
            if case let first = Self.push(batch, &network, as: owner), !first.hasPrefix("busy") { return first }
            network.run(milliseconds: 100)
            return Self.push(batch, &network, as: owner)
        }
        #expect(try push("job-1", ["1", "2"]) == "accepted")
        #expect(try push("job-2", ["3"]).hasPrefix("limit: ids=2 is what jobs may have"))
        #expect(try push("job-3", ["1", "2"], .delete) == "accepted")
        #expect(try push("job-4", ["3"]).hasPrefix("limit"))
        network.run(milliseconds: 200_000)
        #expect(try push("job-5", ["3", "4"]) == "accepted")
    }

    @Test func `a restart of the relay frees nothing`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let owner = try Self.grantee("publish:User origin=job-* ids=2")
        let batch = try Self.batch("job-1", ids: ["1", "2"], now: network.now)
        _ = Self.push(batch, &network, as: owner)
        network.run(milliseconds: 100)
        #expect(Self.push(batch, &network, as: owner) == "accepted")
        // Another machine over the same copy, as after a start with a store.
        var configuration = network.relays[0].configuration
        configuration.name = "relay"
        network.relays[0] = try RelayMachine(
            configuration: configuration, cache: network.relays[0].cache, now: network.now, seed: 1)
        let more = try Self.batch("job-2", ids: ["3"], now: network.now)
        #expect(Self.push(more, &network, as: owner).hasPrefix("busy"))
        network.run(milliseconds: 100)
        #expect(Self.push(more, &network, as: owner).hasPrefix("limit: ids=2"))
    }

    @Test func `updates a second are those of all connections of a key, and of no other`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let owner = try Self.grantee("publish:User origin=job-* rate=100")
        var (accepted, busy) = (0, 0)
        for step in 0..<4_000 {
            network.time += 1_000
            let batch = try Self.batch("job-\(step)", ids: ["1", "2", "3"], now: network.now)
            let answer = Self.push(batch, &network, from: [UInt8(step % 7)], as: owner)
            if answer == "accepted" { accepted += 3 } else if answer.hasPrefix("busy: rate=100") { busy += 1 }
            guard step % 100 == 0 else { continue }
            let other = try Self.batch("other-\(step)", ids: ["4"], now: network.now)
            #expect(Self.push(other, &network, from: [200], as: try Self.free.get()) == "accepted")
        }
        let told = network.notices.filter { $0.kind == .limited }
        #expect(told.count == 1 && told[0].metadata == ["key": "jobs", "limit": "rate=100", "refused": "1"])
        // Four seconds, and a second in hand at the beginning.
        #expect((490...510).contains(accepted), "\(accepted)")
        #expect(busy > 0)
    }

    @Test func `one batch of many updates passes, the next waits for what it owes, and a higher rate pays sooner`() {
        var meter = RateMeter()
        var time: UInt64 = 5_000_000
        let open1 = meter.isOpen(perSecond: 100, at: time)
        #expect(open1)
        meter.take(1_000)
        // A second's worth was in hand.
        time += 8_999_000
        let open2 = meter.isOpen(perSecond: 100, at: time)
        #expect(!open2)
        time += 1_000
        let open3 = meter.isOpen(perSecond: 100, at: time)
        #expect(open3)
        meter.take(10_000)
        let open4 = meter.isOpen(perSecond: 100, at: time + 1_000)
        #expect(!open4)
        let open5 = meter.isOpen(perSecond: 100_000, at: time + 100_000)
        #expect(open5)
        meter.take(.max)
        meter.take(.max)
        let open6 = meter.isOpen(perSecond: 1, at: .max - 1)
        #expect(!open6)
    }

    @Test(arguments: [false, true])
    func `halves of transactions count as what they would bring, whether the rest ever comes`(isStored: Bool) throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.persistsPushes = isStored }
        let owner = try Self.grantee("publish:* origin=job-* ids=10")
        var answers: [String] = []
        for number in 0..<8 {
            var job = try Wire.makeOrigin(name: "job-\(number)")
            var writes = WriteBatch(limits: .default)
            for id in 0..<3 { try writes.append(.merge, type: "User", id: "\(number)-\(id)", fields: ["a": 1]) }
            try writes.append(.merge, type: "Order", id: "\(number)", fields: ["a": 1])
            _ = try job.transaction(writes, now: network.now)
            for case .publish(let topic, let payload) in job.takeActions() where topic.type == "User" {
                answers.append(try Self.pushPatiently(payload, &network, as: owner))
            }
        }
        #expect(answers.prefix(3).allSatisfy { $0 == "accepted" }, "\(answers)")
        #expect(answers.dropFirst(3).allSatisfy { $0.hasPrefix("limit: ids=10 ") }, "\(answers)")
    }

    @Test func `streams that wait to be durable count, however many are begun at once`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay") { $0.persistsPushes = true }
        let owner = try Self.grantee("publish:* origin=job-* streams=3")
        var answers: [String] = []
        for number in 0..<20 {
            let batch = try Self.batch("job-\(number)", ids: ["1"], now: network.now)
            answers.append(Self.push(batch, &network, from: [UInt8(number)], as: owner))
            network.time += 200_000
        }
        #expect(answers.count { $0 == "nothing" } == 3)
        #expect(answers.suffix(17).allSatisfy { $0.hasPrefix("limit: streams=3 ") }, "\(answers)")
    }

    @Test(arguments: ["ids=10", "bytes=2K"])
    func `a push that waits to be counted begins no stream yet`(limit: String) throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let one = try Self.grantee("publish:* origin=job-* streams=1 \(limit)")
        let now = network.now
        #expect(try Self.pushPatiently(Self.batch("job-1", ids: ["1"], now: now), &network, as: one) == "accepted")
        network.run(milliseconds: 2_000)
        let other = try Self.pushPatiently(Self.batch("job-2", ids: ["2"], now: now), &network, as: one)
        #expect(other.hasPrefix("limit: streams=1"), "\(other)")
    }

    @Test func `streams that a key begins are bounded, and those that it has go on`() throws {
        var network = RelayNetwork()
        try network.addRelay("relay")
        let owner = try Self.grantee("publish:* origin=job-* streams=3")
        var origin = try Wire.makeOrigin(name: "job-0")
        var count: Int64 = 0
        func next(_ type: String) throws -> String {
            count += 1
            let fields = try EncodedFields(["a": .int(count)])
            _ = try origin.write(.merge, type: type, id: "1", fields: fields, now: network.now)
            origin.flush()
            for case .publish(let topic, let payload) in origin.takeActions() where topic.type == type {
                return Self.push(payload, &network, as: owner, type: type)
            }
            return "no batch"
        }
        for type in ["A", "B", "C"] { #expect(try next(type) == "accepted") }
        #expect(try next("D").hasPrefix("limit: streams=3 is what jobs may have"))
        for type in ["A", "B", "C"] { #expect(try next(type) == "accepted") }
        let other = try Self.batch("other-1", ids: ["4"], now: network.now)
        #expect(Self.push(other, &network, from: [200], as: try Self.free.get()) == "accepted")
    }

    @Test func `requests a second are those of all connections of a key, and of no other`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        let (owner, other) = (try Self.grantee("subscribe:* requests=5"), try Self.free.get())
        func ask(_ peer: [UInt8], as grantee: Grantee) -> String {
            let reply = network.ask(.origin(0), .digest(rid: 1, type: "User", bits: 0), from: peer, as: grantee).first
            if case .error(_, let code, let message)? = reply { return "\(code.rawValue): \(message)" }
            return reply?.method ?? "nothing"
        }
        let answers = (0..<20).map { ask([UInt8($0)], as: owner) }
        #expect(answers[..<5].allSatisfy { $0 == "digests" })
        #expect(answers[6...].allSatisfy { $0.hasPrefix("busy: requests=5 is what jobs may have") })
        #expect(ask([100], as: other) == "digests")
        network.time += 2_000_000
        #expect(ask([3], as: owner) == "digests")
    }

    @Test func `a connection that is one more than a key may have is told so, and gets nothing`() throws {
        var network = RelayNetwork()
        try network.addOrigin("origin")
        try network.write(0, "1", ["a": 1])
        let owner = try Self.grantee("subscribe:* connections=2")
        let hello = ControlRequest.hello(rid: 7, version: 1, name: "h", prefixes: [])
        let replies = network.ask(.origin(0), hello, as: owner, isExcess: true)
        guard case .error(7, .limit, let message)? = replies.first, replies.count == 1 else {
            Issue.record("\(replies)")
            return
        }
        #expect(message.hasPrefix("connections=2 is what jobs may have"))
        #expect(network.ask(.origin(0), hello, from: [98], as: owner).first?.method == "welcome")
    }
}
