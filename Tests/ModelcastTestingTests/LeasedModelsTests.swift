import ModelTypes
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

/// Leased models, in whole services.
@Suite(.timeLimit(.minutes(2))) struct LeasedModelsTests {
    @Test func `a leased model goes with its publisher, and is back with it`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher("registrar")
            _ = try await network.publisher("other")
            _ = try await network.relay(of: ["registrar", "other"])
            let subscriber = try network.subscriber(of: ["relay"])
            let recorder = ChangeRecorder(of: subscriber, .type("Endpoint"))
            try publisher.lease("Endpoint", "1", ["port": 80], for: .seconds(30))
            try publisher.merge("Endpoint", "2", ["port": 81])
            try await network.settle()
            #expect(recorder.take().map(\.reason) == [.written, .written])
            try await network.advance(by: .seconds(100))
            #expect(subscriber["Endpoint", "1"]?.lease?.milliseconds == 30_000)
            try network.cut(from: "registrar", to: "relay")
            try await network.advance(by: .seconds(25))
            #expect(subscriber["Endpoint", "1"] != nil)
            try await network.advance(by: .seconds(40))
            #expect(recorder.take().map(\.reason) == [.leaseEnded])
            #expect(subscriber["Endpoint", "1"] == nil && subscriber["Endpoint", "2"] != nil)
            #expect(subscriber.cache.count(of: "Endpoint") == 1)
            try network.mend(from: "registrar", to: "relay")
            try await network.advance(by: .seconds(20))
            #expect(recorder.take().map(\.reason) == [.returned])
            #expect(subscriber["Endpoint", "1"]?["port"] == 80)
            try publisher.delete("Endpoint", "1")
            try await network.settle()
            #expect(recorder.take().map(\.reason) == [.deleted])
        }
    }

    @Test func `a lone subscriber ends what its publisher had leased once nobody serves there`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let subscriber = try network.subscriber()
            try publisher.lease("Endpoint", "1", ["port": 80], for: .seconds(20))
            try await network.settle()
            try await network.stop("publisher")
            try await network.advance(by: .seconds(10))
            #expect(subscriber["Endpoint", "1"] != nil)
            for _ in 0..<100 where subscriber["Endpoint", "1"] != nil { try await network.advance(by: .seconds(1)) }
            #expect(subscriber["Endpoint", "1"] == nil)
        }
    }

    @Test func `a lease that nobody could keep is refused with what to do`() async throws {
        try await withPair { publisher, _, _ in
            let error = #expect(throws: ModelcastError.self) {
                try publisher.lease("Endpoint", "1", ["port": 80], for: .milliseconds(1))
            }
            #expect(error?.code == .badInput && error?.message.contains("heartbeats") == true)
            #expect(publisher["Endpoint", "1"] == nil)
            try publisher.transaction { try $0.merge("Endpoint", "1", ["port": 80], expires: .leased(.seconds(60))) }
            #expect(publisher["Endpoint", "1"]?.lease?.milliseconds == 60_000)
            try publisher.merge("Endpoint", "1", [:], expires: .never)
            #expect(publisher["Endpoint", "1"]?.lease == nil && publisher["Endpoint", "1"]?["port"] == 80)
        }
    }
}
