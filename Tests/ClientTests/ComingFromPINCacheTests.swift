import Foundation
import Modelcast
import ModelcastMacros
import ModelcastTesting
import Testing

/// What the article "Coming from other libraries" says of PINCache. Rows that say "none" have nothing to call.
@Suite(.timeLimit(.minutes(2))) struct ComingFromPINCacheTests {
    @Model struct User {
        @ID let id: String
        var name: String
        var age: Int?
    }

    @Model struct Session {
        static let modelExpiry = Expiry.after(.seconds(5))
        @ID let id: String
    }

    private static func publish(_ count: Int, by publisher: Publisher) throws {
        for number in 0..<count { try publisher.merge(User(id: "\(number)", name: "n\(number)", age: number)) }
    }

    @Test func `a model is read and asked for by its id, and what the owner writes and deletes is so in every copy`()
        async throws
    {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(User(id: "1", name: "Ada"))
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"]?.name == "Ada")
            #expect(subscriber.presence(of: User.self, "1") == .here)
            #expect(subscriber.presence(of: User.self, "2") == .absent)
            try publisher.delete(User.self, "1")
            try await network.settle()
            #expect(subscriber[lastGood: User.self, "1"] == nil)
            #expect(subscriber.presence(of: User.self, "1") == .absent)
        }
    }

    @Test func `what has left a copy is told apart, and comes back whole to several tasks that share requests`()
        async throws
    {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber { $0.modelLimits.types["User"] = ModelLimits(count: 1) }
            try Self.publish(3, by: publisher)
            try await network.settle()
            #expect(subscriber.cache.count(of: "User") == 1)
            func evicted() throws -> String {
                try #require(["0", "1", "2"].first { subscriber.presence(of: User.self, $0) == .evicted })
            }
            #expect(try await subscriber.fetch(User.self, evicted()) != nil)
            let forOne = subscriber.status.counters[.fetchesRequested]
            let gone = try evicted()
            let found = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await subscriber.fetch(User.self, gone) } }
                var found: [User?] = []
                while let user = try await group.next() { found.append(user) }
                return found
            }
            #expect(found.count == 8 && found.allSatisfy { $0?.name == "n\(gone)" && $0?.age == Int(gone) })
            // Those that came while the first request was on its way share the next.
            #expect(subscriber.status.counters[.fetchesRequested] <= 3 * forOne)
        }
    }

    @Test func `a copy holds no more models and bytes than its limits say, without being trimmed`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let counted = try network.subscriber("counted") { $0.modelLimits.types["User"] = ModelLimits(count: 10) }
            let weighed = try network.subscriber("weighed") { $0.modelLimits.all = ModelLimits(bytes: 4_096) }
            let whole = try network.subscriber("whole")
            try Self.publish(500, by: publisher)
            try await network.settle()
            #expect(whole.cache.count(of: "User") == 500)
            #expect(counted.cache.count(of: "User") == 10 && counted.cache.evictedCount(of: "User") == 490)
            // A user takes some hundred bytes.
            #expect((5...60).contains(weighed.cache.count(of: "User")))
        }
    }

    @Test func `the models that are read stay, and those that nobody uses leave for others`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber { $0.modelLimits.types["User"] = ModelLimits(count: 10) }
            try Self.publish(10, by: publisher)
            try await network.settle()
            for number in 10..<40 {
                for used in ["0", "1"] { #expect(subscriber[lastGood: User.self, used] != nil) }
                try publisher.merge(User(id: "\(number)", name: "later"))
                try await network.settle()
            }
            #expect(["0", "1"].allSatisfy { subscriber.presence(of: User.self, $0) == .here })
            #expect(subscriber.presence(of: User.self, "2") == .evicted)
        }
    }

    @Test func `a model that is neither read nor changed leaves after its idle time`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber {
                $0.modelLimits.types["User"] = ModelLimits(idle: .seconds(10))
            }
            try Self.publish(2, by: publisher)
            try await network.settle()
            for _ in 0..<8 {
                try await network.advance(by: .seconds(2))
                #expect(subscriber[lastGood: User.self, "0"] != nil)
            }
            #expect(subscriber.presence(of: User.self, "1") == .evicted)
        }
    }

    @Test func `a model that was given an age ends in all copies, which are told why`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let copies = [try network.subscriber("near"), try network.subscriber("far")]
            let told = copies.map { ChangeRecorder(of: $0.models(User.self)) }
            try publisher.merge(User(id: "1", name: "Ada"), expires: .after(.seconds(3)))
            try publisher.merge(User(id: "2", name: "Grace"))
            try publisher.merge(Session(id: "s"))
            try await network.settle()
            for recorder in told { _ = recorder.take() }
            try await network.advance(by: .seconds(4))
            try await network.settle()
            for (copy, recorder) in zip(copies, told) {
                #expect(recorder.take().map { "\($0.id) \($0.change.reason)" } == ["1 expired"])
                #expect(copy[lastGood: User.self, "1"] == nil && copy[lastGood: User.self, "2"] != nil)
                #expect(copy[lastGood: Session.self, "s"] != nil)
            }
            // An age of the type.
            try await network.advance(by: .seconds(2))
            try await network.settle()
            #expect(copies.allSatisfy { $0[lastGood: Session.self, "s"] == nil })
        }
    }

    @Test func `a model that its owner has leased goes with the owner`() async throws {
        try await withPair { publisher, subscriber, network in
            let told = ChangeRecorder(of: subscriber.models(User.self))
            try publisher.lease(User(id: "1", name: "Ada"), for: .seconds(20))
            try publisher.merge(User(id: "2", name: "Grace"))
            try await network.settle()
            #expect(told.take().count == 2)
            try await network.stop("publisher")
            for _ in 0..<100 where subscriber[lastGood: User.self, "1"] != nil {
                try await network.advance(by: .seconds(1))
            }
            #expect(told.take().map { "\($0.id) \($0.change.reason)" } == ["1 lease-ended"])
            #expect(subscriber[lastGood: User.self, "2"] != nil)
        }
    }

    @Test func `a store keeps the types without limits for the next start, and what has limits is fetched`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pincache-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (written, store) = (folder.appending(path: "written.db").path, folder.appending(path: "copy.db").path)
        try await withNetwork { network in
            let publisher = try await network.publisher { $0.store = written }
            func configure(_ configuration: inout SubscriberConfiguration) {
                configuration.store = store
                configuration.modelLimits.types["User"] = ModelLimits(count: 5)
            }
            _ = try network.subscriber("copy", configure)
            try Self.publish(20, by: publisher)
            try publisher.merge("Order", "7", ["total": 12])
            try await network.settle()
            try await network.stop("copy")
            try await network.stop("publisher")
            let again = try network.subscriber("copy", of: ["publisher"], configure)
            #expect(again["Order", "7"]?["total"] == 12)
            #expect(again.cache.count(of: "User") == 0)
            _ = try await network.publisher { $0.store = written }
            try await network.settle()
            #expect(try await again.fetch(User.self, (0..<20).map(String.init)).count == 20)
        }
    }

    @Test func `a walk over a copy is of one moment, and is no use of what it sees`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber { $0.modelLimits.types["User"] = ModelLimits(count: 10) }
            try Self.publish(10, by: publisher)
            try await network.settle()
            let snapshot = subscriber.snapshot()
            for number in 10..<20 { try publisher.merge(User(id: "\(number)", name: "later")) }
            try await network.settle()
            var ids: Set<String> = []
            snapshot.forEach(type: "User") { record in
                ids.insert(record.id)
                return true
            }
            #expect(ids == Set((0..<10).map(String.init)))
            #expect(subscriber.cache.count(of: "User") == 10)
            #expect(ids.contains { subscriber.presence(of: User.self, $0) == .evicted })
        }
    }

    @Test func `who asks for evictions is told of them, and what is pinned or observed by its id stays`()
        async throws
    {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber { $0.modelLimits.types["User"] = ModelLimits(count: 3) }
            let told = ChangeRecorder(of: subscriber.models(User.self).withEvictions())
            let untold = ChangeRecorder(of: subscriber.models(User.self))
            subscriber.pin(User.self, "0")
            let observed = ChangeRecorder(of: subscriber.models(User.self, "1"))
            try Self.publish(30, by: publisher)
            try await network.settle()
            let evicted = told.take().filter { $0.step == .left && $0.change.reason == .evicted }
            #expect(evicted.count == 27, "\(evicted.map(\.id))")
            #expect(untold.take().allSatisfy { $0.step != .left })
            #expect(["0", "1"].allSatisfy { subscriber.presence(of: User.self, $0) == .here })
            #expect(observed.take().allSatisfy { $0.step != .left })
        }
    }
}
