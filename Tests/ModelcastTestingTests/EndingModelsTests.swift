import Foundation
import ModelTypes
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

/// A login, which ends five minutes after its last write unless that says otherwise.
private struct Login: Model {
    static let modelType = "Login"
    static let modelExpiry = Expiry.after(.seconds(300))
    enum FieldNames {
        static let user: ModelField<String> = "user"
    }
    static let properties = [ModelProperty(\Login.user, "user")]
    let id: String
    var user: String
    var end: Int64?

    init(_ id: String, _ user: String, end: Int64? = nil) { (self.id, self.user, self.end) = (id, user, end) }

    init(id: String, record: CellRecord) throws(FieldProblem) {
        var reader = FieldReader(record)
        self.id = id
        user = try reader.read("user")
        end = try reader.read(.expires)
    }

    func write(into sink: inout some FieldSink) throws(FieldProblem) {
        try sink.write("user", user)
        if let end { try sink.write("$expires", end) }
    }
}

/// Models that end by themselves, in whole services.
@Suite(.timeLimit(.minutes(2))) struct EndingModelsTests {
    @Test func `an observer is told that a model has expired, and another that it was deleted`() async throws {
        try await withPair { publisher, subscriber, network in
            let recorder = ChangeRecorder(of: subscriber, .type("User"))
            try publisher.merge("User", "1", ["age": 1], expires: .after(.seconds(100)))
            try publisher.merge("User", "2", ["age": 1], expires: .after(.seconds(100)))
            try await network.settle()
            #expect(recorder.take().map(\.reason) == [.written, .written])
            try publisher.delete("User", "2")
            try await network.settle()
            #expect(recorder.take().map(\.reason) == [.deleted])
            try await network.advance(by: .seconds(30))
            #expect(subscriber["User", "1"]?.expires != nil)
            try await network.advance(by: .seconds(80))
            try await network.settle()
            #expect(recorder.take().map(\.reason) == [.expired])
            #expect(subscriber["User", "1"] == nil && publisher["User", "1"] == nil)
        }
    }

    @Test func `a type says when its models end, and a write says otherwise`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(Login("typed", "a"))
            try publisher.merge(Login("never", "a"), expires: .never)
            try publisher.merge(Login("short", "a"), expires: .after(.seconds(50)))
            try publisher.merge(Login("at", "a"), expires: .at(.now.addingTimeInterval(1_000_000)))
            try publisher.merge(Login("property", "a", end: 4_000_000_000_000))
            try publisher.merge(Login("past", "a"))
            try publisher.merge(Login("past", "a"), expires: .at(.distantPast))
            try publisher.transaction { try $0.assign(Login("whole", "a")) }
            try publisher.batch {
                try $0.replace("Login", "named", ["user": "a"], expires: .after(.seconds(50)))
                try $0.merge(Login("batched", "a"))
            }
            try await network.settle()
            #expect(subscriber["Login", "past"] == nil)
            try await network.advance(by: .seconds(100))
            try await network.settle()
            func left() -> Set<String> {
                Set(subscriber.snapshot().records(of: "Login").map(\.id))
            }
            #expect(left() == ["typed", "never", "at", "whole", "batched", "property"])
            // Each write moves the end: one that changes the model, and one that says it again.
            try publisher.update(Login.self, "typed") { $0.user = "b" }
            try publisher.merge(Login("batched", "a"))
            try await network.advance(by: .seconds(250))
            try await network.settle()
            #expect(left() == ["typed", "never", "at", "batched", "property"])
            try await network.advance(by: .seconds(100))
            try await network.settle()
            #expect(left() == ["never", "at", "property"])
        }
    }

    @Test(arguments: [
        Expiry.after(.seconds(Int64.max)), .after(.seconds(Int64.max / 1000) + .milliseconds(999)),
        .at(Date(timeIntervalSince1970: .infinity)), .at(Date(timeIntervalSince1970: 1e300)), .at(.distantFuture),
    ])
    func `an end beyond every clock is one that never comes`(end: Expiry) async throws {
        try await withPair { publisher, _, _ in
            try publisher.merge("User", "1", ["age": 1], expires: end)
            #expect(publisher["User", "1"]?.expires != nil)
        }
    }

    @Test(arguments: [
        Expiry.after(.zero), .after(.seconds(Int64.min)), .after(.milliseconds(-1)), .at(.distantPast),
        .at(Date(timeIntervalSince1970: -.infinity)), .at(Date(timeIntervalSince1970: .nan)),
    ])
    func `an end before every clock is one at once`(end: Expiry) async throws {
        try await withPair { publisher, _, _ in
            try publisher.merge("User", "1", ["age": 1])
            try publisher.merge("User", "1", ["age": 2], expires: end)
            #expect(publisher["User", "1"] == nil)
        }
    }

    @Test func `a field tells a Swift type when its model ends`() async throws {
        try await withPair { publisher, subscriber, network in
            let end = Date(timeIntervalSince1970: 4_000_000_000)
            try publisher.merge(Login("1", "a"), expires: .at(end))
            try await network.settle()
            let record = try #require(subscriber["Login", "1"])
            #expect(record.expires == 4_000_000_000_000)
            var reader = FieldReader(record)
            #expect(try reader.read(.expires, by: .unixMilliseconds) == end)
        }
    }

    @Test func `a model ends behind a relay, and at whoever comes back later`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            _ = try await network.relay(of: ["publisher"])
            let subscriber = try network.subscriber(of: ["relay"])
            try publisher.merge("User", "1", ["age": 1], expires: .after(.seconds(60)))
            try await network.settle()
            #expect(subscriber["User", "1"] != nil)
            try network.cut(from: "relay", to: "subscriber")
            try await network.advance(by: .seconds(70))
            // It keeps what it has while it hears of nobody.
            #expect(subscriber["User", "1"] != nil && publisher["User", "1"] == nil)
            try network.mend(from: "relay", to: "subscriber")
            try await network.settle()
            #expect(subscriber["User", "1"] == nil)
        }
    }

    @Test func `a publisher with a store ends after its restart what was due meanwhile`() async throws {
        let folder = try TemporaryDirectory()
        try await withNetwork { network in
            func start() async throws -> Publisher {
                try await network.publisher { $0.store = folder.path("store") }
            }
            let first = try await start()
            try first.merge("User", "due", ["age": 1], expires: .after(.seconds(60)))
            try first.merge("User", "later", ["age": 1], expires: .after(.seconds(10_000)))
            let subscriber = try network.subscriber()
            try await network.settle()
            try await network.stop("publisher")
            try await network.advance(by: .seconds(70))
            #expect(subscriber["User", "due"] != nil)
            let second = try await start()
            // Ended before anything is compared with it: a write brings back all of the model.
            #expect(second["User", "due"] == nil)
            try await network.advance(by: .seconds(2))
            try await network.settle()
            #expect(second["User", "due"] == nil && subscriber["User", "due"] == nil)
            #expect(second["User", "later"] != nil && subscriber["User", "later"] != nil)
            #expect(second.status.counters[.modelsExpired] == 1)
        }
    }

    @Test func `an end in another form is refused with what to do, and nothing has changed`() async throws {
        try await withPair { publisher, _, _ in
            let error = #expect(throws: ModelcastError.self) {
                try publisher.merge("User", "1", ["age": 1, "$expires": 1_790_000_000])
            }
            #expect(error?.code == .badInput)
            #expect(error?.message.contains("seconds are to be multiplied by 1000") == true)
            #expect(publisher["User", "1"] == nil)
        }
    }
}
