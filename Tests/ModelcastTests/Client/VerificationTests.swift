@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import Modelcast

/// Two holders compared: ``ControlClient/verify(against:patience:comparingValues:)``, what `modelcast verify` does.
@Suite(.timeLimit(.minutes(15))) struct VerificationTests {
    private func makePublisher(_ name: String = "publisher") throws -> Publisher {
        try Publisher(
            PublisherConfiguration(name: name, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
    }

    /// A subscriber that can be asked.
    private func makeSubscriber(of publisher: SenderEndpoints) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "subscriber", publishers: [publisher.control])
        configuration.control = "tcp://127.0.0.1:*"
        return try Subscriber(configuration, logger: silent)
    }

    @Test func `a publisher, a relay and its subscriber that hold the same are equal`() async throws {
        let publisher = try makePublisher()
        for id in 0..<1_000 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
        try publisher.delete("User", "7")
        try await during(publisher) { publisher in
            let origin = try await publisher.boundEndpoints
            let relay = try makeRelay(of: origin)
            try await during(relay) { relay in
                let endpoints = try await relay.boundEndpoints
                try await during(makeSubscriber(of: endpoints)) { subscriber in
                    try await subscriber.waitUntilLive()
                    let asked = try ControlClient(endpoint: try await subscriber.boundControl)
                    for holder in [origin, endpoints] {
                        let found = try await asked.verify(against: ControlClient(endpoint: holder.control))
                        #expect(found.map(\.type) == ["User"])
                        let isEqual = found.allSatisfy { $0.isEqual }
                        #expect(isEqual)
                    }
                }
            }
        }
    }

    @Test func `models whose ids are equal as texts, and not as bytes, are two, to each holder and each question`()
        async throws
    {
        let publisher = try makePublisher()
        try publisher.merge("User", twins.0, ["n": 1])
        try publisher.merge("User", twins.1, ["n": 2])
        try await during(publisher) { publisher in
            let origin = try await publisher.boundEndpoints
            try await during(makeSubscriber(of: origin)) { subscriber in
                try await subscriber.waitUntilLive()
                #expect(subscriber["User", twins.0]?["n"] == 1 && subscriber["User", twins.1]?["n"] == 2)
                let asked = try ControlClient(endpoint: try await subscriber.boundControl)
                let records = try await asked.fetch("User", [twins.0, twins.1])
                #expect(Set(records.map { ExactText($0.id) }) == [ExactText(twins.0), ExactText(twins.1)])
                let holder = try ControlClient(endpoint: origin.control)
                let found = try await asked.verify(against: holder, comparingValues: true)
                let isEqual = found.allSatisfy { $0.isEqual }
                #expect(isEqual)
                try publisher.delete("User", twins.0)
                #expect(await eventually { subscriber["User", twins.0] == nil })
                #expect(subscriber["User", twins.1]?["n"] == 2)
            }
        }
    }

    @Test func `a field that one copy has lost is named by type, id and field`() async throws {
        let publisher = try makePublisher()
        for id in 0..<100 { try publisher.merge("User", "\(id)", ["age": 1, "name": "Ada"]) }
        try await during(publisher) { publisher in
            let origin = try await publisher.boundEndpoints
            try await during(makeSubscriber(of: origin)) { subscriber in
                try await subscriber.waitUntilLive()
                let before = try #require(subscriber["User", "42"])
                try publisher.merge("User", "42", ["age": 2])
                #expect(await eventually { subscriber["User", "42"]?["age"] == 2 })
                // The loss of one update, as no fault of the network could bring it about unnoticed. Heartbeats would
                // find and mend it, which takes longer than the comparison; if they are first, it is lost once more.
                let asked = try ControlClient(endpoint: try await subscriber.boundControl)
                var differences: [Verification.Difference] = []
                for _ in 0..<20 where differences.isEmpty {
                    subscriber.cache.commit { $0.overwrite(type: "User", id: "42", with: before) }
                    let found = try await asked.verify(against: ControlClient(endpoint: origin.control))
                    if case .different(let named)? = found.first?.verdict { differences = named }
                }
                #expect(Set(differences.map(\.id)) == ["42"])
                #expect(differences.map(\.subject) == [.touched, .field("age")])
                #expect(differences.last?.left.value == 1)
                #expect(differences.last?.right.value == 2)
                // And mended by itself.
                #expect(await eventually { subscriber["User", "42"]?["age"] == 2 })
            }
        }
    }

    @Test func `a value that differs under one version is found where values are compared`() async throws {
        let publisher = try makePublisher()
        for id in 0..<100 { try publisher.merge("User", "\(id)", ["age": 1]) }
        try publisher.merge("Order", "1", ["n": 1])
        try await during(publisher) { publisher in
            let origin = try await publisher.boundEndpoints
            try await during(makeSubscriber(of: origin)) { subscriber in
                try await subscriber.waitUntilLive()
                let stamp = try #require(subscriber["User", "42"]?.touched?.stamp)
                let other = ModelCache()
                var writer = BatchWriter()
                try writer.append(.merge, stamp: stamp, id: "42", fields: ["age": 2])
                let frame = writer.finish(origin: "publisher", incarnation: 1, sequence: 1)
                var decoder = BatchDecoder()
                try decoder.decode(frame.span)
                other.commit(decoder.batch(in: frame.span), type: "User")
                let changed = other["User", "42"]
                subscriber.cache.commit { $0.overwrite(type: "User", id: "42", with: changed) }
                let asked = try ControlClient(endpoint: try await subscriber.boundControl)
                let versions = try await asked.verify(against: ControlClient(endpoint: origin.control))
                #expect(versions.count == 2)
                let isEqual = versions.allSatisfy { $0.isEqual }
                #expect(isEqual)
                let values = try await asked.verify(
                    against: ControlClient(endpoint: origin.control), comparingValues: true)
                #expect(values.map(\.isEqual) == [true, false])
                guard case .different(let differences)? = values.last?.verdict else { return }
                #expect(differences.map(\.id) == ["42"])
                #expect(differences.map(\.subject) == [.field("age")])
                #expect(differences.first?.left.value == 2 && differences.first?.right.value == 1)
            }
        }
    }

    @Test func `what differs is named, be it the model, a field or only the version of a write`() throws {
        /// What these updates make of one model, each with its stamp.
        func record(_ updates: [(Stamp, UpdateOperation, Fields)]) throws -> CellRecord? {
            let cache = ModelCache()
            var writer = BatchWriter()
            for (stamp, operation, fields) in updates {
                try writer.append(operation, stamp: stamp, id: "1", fields: fields)
            }
            let frame = writer.finish(origin: "a", incarnation: 1, sequence: 1)
            var decoder = BatchDecoder()
            try decoder.decode(frame.span)
            cache.commit(decoder.batch(in: frame.span), type: "T")
            return cache.record(type: "T", id: "1", includingTombstones: true)
        }
        func differences(_ left: CellRecord?, _ right: CellRecord?) -> [Verification.Difference] {
            Verification.differences("1", left, right)
        }
        func version(_ stamp: Stamp) -> Version { Version(stamp: stamp, origin: "a") }
        let plain = try record([(5, .merge, ["age": 1])])
        #expect(differences(plain, plain).isEmpty)
        #expect(differences(nil, nil).isEmpty)
        #expect(
            differences(plain, nil) == [
                Verification.Difference(
                    id: "1", subject: .model, left: .model(touched: version(5)), right: .nothing)
            ])
        let touched = try record([(5, .merge, ["age": 1]), (6, .merge, [:])])
        #expect(
            differences(touched, plain) == [
                Verification.Difference(
                    id: "1", subject: .touched, left: .version(version(6)), right: .version(version(5)))
            ])
        let floored = try record([(4, .delete, [:]), (5, .merge, ["age": 1])])
        #expect(
            differences(plain, floored) == [
                Verification.Difference(id: "1", subject: .floor, left: .nothing, right: .version(version(4)))
            ])
        let older = try record([(3, .merge, ["age": 2]), (5, .merge, [:])])
        #expect(differences(plain, older).map(\.subject) == [.field("age")])
    }

    @Test func `the wait for equal heads is one for all types`() async throws {
        let (one, other) = (try makePublisher("one"), try makePublisher("other"))
        for type in 0..<200 {
            try one.merge("T\(type)", "1", ["n": 1])
            try other.merge("T\(type)", "1", ["n": 1])
        }
        try await during(one) { one in
            let left = try await one.boundEndpoints
            try await during(other) { other in
                let right = try await other.boundEndpoints
                let start = ContinuousClock.now
                let found = try await ControlClient(endpoint: left.control)
                    .verify(against: ControlClient(endpoint: right.control), patience: .seconds(1))
                // One second for each type would be 200.
                let elapsed = ContinuousClock.now - start
                #expect(elapsed < .seconds(100))
                #expect(found.count == 200)
                let isApart = found.allSatisfy { $0.verdict.isApart }
                #expect(isApart)
            }
        }
    }

    @Test func `thousands of types that are equal are compared by two greetings`() async throws {
        let publisher = try makePublisher()
        for type in 0..<2_000 { try publisher.merge("T\(type)", "1", ["n": 1]) }
        try await during(publisher) { publisher in
            let client = try ControlClient(endpoint: try await publisher.boundEndpoints.control)
            let found = try await client.verify(against: client)
            #expect(found.count == 2_000 && found.allSatisfy(\.isEqual))
            // The budget of questions has 256 at once: it would be spent.
            #expect(publisher.status.counters[.requestsBusy] == 0)
        }
    }

    @Test func `the digest of a greeting is that of all buckets`() async throws {
        let publisher = try makePublisher()
        for id in 0..<300 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
        try await during(publisher) { publisher in
            let client = try ControlClient(endpoint: try await publisher.boundEndpoints.control)
            let verdict = try #require(try await client.verify(against: client).first).verdict
            guard case .equal(let digest) = verdict else { throw CaseFailure("\(verdict)") }
            #expect(try await client.digests().map(\.digests.total) == [digest])
        }
    }

    @Test func `holders of different publishers never stand at the same point`() async throws {
        let (one, other) = (try makePublisher("one"), try makePublisher("other"))
        try one.merge("User", "1", ["n": 1])
        try other.merge("User", "1", ["n": 1])
        try await during(one) { one in
            let left = try await one.boundEndpoints
            try await during(other) { other in
                let right = try await other.boundEndpoints
                let found = try await ControlClient(endpoint: left.control)
                    .verify(against: ControlClient(endpoint: right.control), patience: .milliseconds(100))
                guard case .apart(let mine, let theirs)? = found.first?.verdict else {
                    Issue.record("expected to be apart, found \(found)")
                    return
                }
                #expect(mine.contains("one") && theirs.contains("other"))
            }
        }
    }
}
