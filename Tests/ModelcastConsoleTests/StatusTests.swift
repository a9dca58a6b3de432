import Foundation
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// The state of a process as JSON.
@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    /// What the tests read of the document.
    private struct Told: Decodable {
        let ready: Bool
        let checks: [Check]
        let services: [Service]

        struct Check: Decodable {
            let check: String
            let problem: String?
        }
        struct Service: Decodable {
            let service: String
            let name: String
            let types: [TypeRow]
            let senders: [Sender]?
            let origins: [Origin]?
            let originsCount: Int?
            let peers: [Peer]?
            let queues: [Queue]
        }
        struct TypeRow: Decodable {
            let type: String
            let models: Int
            let bytes: Int
        }
        struct Queue: Decodable {
            let queue: String
            let count: Int?
            let bytes: Int?
            let limit: Int?
        }
        struct Sender: Decodable {
            let name: String
            let state: String
            let outageSeconds: Double
            let wasLive: Bool
        }
        struct Origin: Decodable {
            let origin: String
            let state: String
            let streams: Int
            let missingBatches: UInt64
        }
        struct Peer: Decodable {
            let name: String
            let state: String?
        }
    }

    private func status(_ client: ConsoleClient) async throws -> Told {
        let answer = try await client.get("/v1/status")
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        return try JSONDecoder().decode(Told.self, from: Data(answer.body.utf8))
    }

    @Test func `a process tells what it listens to and whom it serves, and what is wrong first`() async throws {
        try await withPair { publisher, subscriber, network in
            for id in 0..<3 { try publisher.merge("User", "\(id)", ["age": 1]) }
            try await network.settle()
            let subjects: [ConsoleSubject] = [.publisher(publisher), .subscriber(subscriber)]
            try await withConsole(of: subjects, gateway: ModelGateway(of: .subscriber(subscriber))) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let good = try await status(client)
                #expect(good.ready && good.checks.allSatisfy { $0.problem == nil })
                #expect(good.services.map(\.service) == ["publisher", "subscriber"])
                #expect(good.services.allSatisfy { $0.types.map(\.type) == ["User"] && $0.types[0].models == 3 })
                #expect(good.services[0].senders == nil && good.services[1].peers == nil)
                #expect(good.services[0].peers?.map(\.name) == ["subscriber"])
                let sender = try #require(good.services[1].senders?.first)
                #expect(sender.name == "publisher" && sender.state == "live" && sender.wasLive)
                #expect(sender.outageSeconds == 0)
                let origin = try #require(good.services[1].origins?.first)
                #expect(origin.origin == "publisher" && origin.state == "live" && origin.missingBatches == 0)
                #expect(origin.streams > 0 && good.services[1].originsCount == 1)

                try network.cut(from: "publisher", to: "subscriber")
                for _ in 0..<30 { try await network.advance(by: .seconds(1)) }
                #expect(try await client.eventually("/readyz") { $0.status == 503 })
                let bad = try await status(client)
                #expect(!bad.ready && bad.checks[0].problem != nil && bad.checks.last?.problem == nil)
                #expect(bad.services[1].senders?.first?.state != "live")
                #expect(bad.services[1].senders?.first?.outageSeconds ?? 0 >= 15)
                #expect(bad.services[1].origins?.first?.state == "stale")
            }
        }
    }

    @Test func `it tells about how large the models of a type are, and how full the queues`() async throws {
        try await withPair { publisher, subscriber, network in
            let text = Value.text(String(repeating: "x", count: 1000))
            for id in 0..<500 { try publisher.merge("User", "\(id)", ["text": text]) }
            try publisher.merge("Note", "1", ["n": 1])
            try await network.settle()
            let subjects: [ConsoleSubject] = [.publisher(publisher), .subscriber(subscriber)]
            try await withConsole(of: subjects, gateway: ModelGateway(of: .subscriber(subscriber))) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let services = try await status(client).services
                for service in services {
                    #expect(service.types.map(\.type) == ["Note", "User"])
                    #expect((500_000..<700_000).contains(service.types[1].bytes))
                    #expect((48..<300).contains(service.types[0].bytes))
                }
                let queues = services.map { Dictionary(uniqueKeysWithValues: $0.queues.map { ($0.queue, $0) }) }
                #expect(queues[0].keys.sorted() == ["outbox", "replay"])
                #expect(queues[0]["outbox"]?.limit == 64 << 20 && queues[0]["outbox"]?.bytes ?? .max < 64 << 20)
                #expect(queues[0]["replay"]?.bytes ?? 0 > 0)
                #expect(queues[1].keys.sorted() == ["answers", "event streams", "history"])
                #expect(queues[1]["event streams"]?.count == 0 && queues[1]["event streams"]?.limit == 200)
                let stream = try EventReader(client.port, "/v1/changes")
                _ = await stream.events(until: { $0.name == "live" })
                let second = try await status(client).services[1].queues
                #expect(second.first { $0.queue == "event streams" }?.count == 1)
                withExtendedLifetime(stream) {}
            }
        }
    }

    @Test func `the state is for operators where there are tokens, and is served only where models are`() async throws {
        let tokens = try TwoTokens()
        let (reader, operate) = (tokens.reader, tokens.operate)
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(
                of: .publisher(publisher), tokens: tokens.access)
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                #expect(try await client.get("/v1/status").status == 401)
                let refused = try await client.get("/v1/status", "Authorization: Bearer \(reader.text)")
                #expect(refused.status == 403 && refused.body.contains("the right operate"))
                let answer = try await client.get("/v1/status", "Authorization: Bearer \(operate.text)")
                #expect(answer.status == 200)
                let strange = try await client.get("/v1/status?all", "Authorization: Bearer \(operate.text)")
                #expect(strange.status == 400)
                #expect(try await client.send("POST", "/v1/status", "{}").status == 405)
            }
            try await withConsole(of: [.publisher(publisher)]) { client in
                let answer = try await client.get("/v1/status")
                #expect(answer.status == 404)
            }
        }
    }
}
