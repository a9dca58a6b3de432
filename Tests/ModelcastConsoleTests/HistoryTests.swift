import Foundation
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// Who has written what, as the console tells it.
@Suite(.timeLimit(.minutes(5))) struct HistoryTests {
    /// What the tests read of `/v1/history`.
    private struct Told: Decodable {
        let changes: [Row]
        let next: UInt64?
        let kept: Kept

        struct Row: Decodable, Equatable {
            let number: UInt64
            let type: String
            let id: String
            let reason: String
            let changed: [String]
            let old: [String: Int]?
            let new: [String: Int]?
            let written: Written
        }
        struct Written: Decodable, Equatable {
            let origin: String
            let time: String?
        }
        struct Kept: Decodable {
            let changes: Int?
            let bytes: Int?
            let bytesMax: Int
            let since: String?
        }
    }

    private func history(_ client: ConsoleClient, _ query: String = "") async throws -> Told {
        let answer = try await client.get("/v1/history\(query)")
        #expect(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(Told.self, from: Data(answer.body.utf8))
    }

    /// Runs a console of a subscriber, which is ready, while `body` writes and asks.
    private func withHistory(
        byteCount: Int? = nil, tokens: Access? = nil,
        _ body: (Publisher, ConsoleClient, TestNetwork) async throws -> Void
    ) async throws {
        try await withPair { publisher, subscriber, network in
            var gateway = ModelGateway(of: .subscriber(subscriber), tokens: tokens)
            if let byteCount { gateway.historyByteCount = byteCount }
            try publisher.merge("Note", "0", ["n": 0])
            try await network.settle()
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                try await body(publisher, client, network)
            }
        }
    }

    @Test func `the last changes are told with their writers and what they replaced, the newest first`() async throws {
        try await withHistory { publisher, client, network in
            try publisher.merge("User", "1", ["age": 1, "size": 7])
            try await network.settle()
            try publisher.merge("User", "1", ["age": 2])
            try await network.settle()
            try publisher.delete("User", "1")
            try await network.settle()
            let told = try await history(client)
            #expect(told.changes.map(\.number) == [2, 1, 0] && told.next == nil && told.kept.changes == 3)
            #expect(told.changes.map(\.reason) == ["deleted", "written", "written"])
            #expect(told.changes.map(\.old) == [["age": 2, "size": 7], ["age": 1], nil])
            #expect(told.changes.map(\.new) == [nil, ["age": 2], ["age": 1, "size": 7]])
            #expect(told.changes.allSatisfy { $0.type == "User" && $0.written.origin == "publisher" })
            #expect(told.changes.allSatisfy { $0.written.time?.hasSuffix("Z") ?? false })
            let page = try await history(client, "?limit=1")
            #expect(page.changes == [told.changes[0]] && page.next == 2)
            #expect(try await history(client, "?before=2").changes == Array(told.changes[1...]))
        }
    }

    @Test func `a field's history tells who has written it, whoever wrote other fields since`() async throws {
        try await withHistory { publisher, client, network in
            for (age, size) in [(1, 1), (1, 2), (2, 2)] {
                try publisher.merge("User", "1", ["age": .int(Int64(age)), "size": .int(Int64(size))])
                try publisher.merge("User", "2", ["age": 9])
                try await network.settle()
            }
            let told = try await history(client, "?type=User&id=1&field=age")
            #expect(told.changes.map(\.old) == [["age": 1], nil])
            #expect(told.changes.map(\.new) == [["age": 2], ["age": 1]])
            #expect(told.changes.allSatisfy { $0.changed == ["age"] })
            #expect(try await history(client, "?origin=nobody").changes.isEmpty)
            #expect(try await history(client, "?type=Note").changes.isEmpty)
            let unknown = try await client.get("/v1/history?type=Usr")
            #expect(unknown.status == 404 && unknown.body.contains("Usr"))
        }
    }

    @Test func `what is kept is bounded, and since when it is complete is told`() async throws {
        try await withHistory(byteCount: 4096) { publisher, client, network in
            for n in 0..<200 {
                try publisher.merge("User", "\(n)", ["age": .int(Int64(n))])
                try await network.settle()
            }
            let told = try await history(client, "?limit=1000")
            #expect(told.kept.bytes ?? .max <= 4096 && told.kept.bytesMax == 4096 && told.kept.since != nil)
            #expect(!told.changes.isEmpty && told.changes.count < 40 && told.changes.count == told.kept.changes)
            #expect(told.changes.map(\.id) == (0..<told.changes.count).map { "\(199 - $0)" })
        }
    }

    @Test func `a delete counts with what it has deleted`() async throws {
        try await withHistory(byteCount: 100_000) { publisher, client, network in
            let text = Value.text(String(repeating: "x", count: 20_000))
            for n in 0..<50 { try publisher.merge("User", "\(n)", ["text": text]) }
            try await network.settle()
            for n in 0..<50 {
                try publisher.delete("User", "\(n)")
                try await network.settle()
            }
            struct Kept: Decodable { let kept: Told.Kept }
            let answer = try await client.get("/v1/history?limit=1")
            let kept = try JSONDecoder().decode(Kept.self, from: Data(answer.body.utf8)).kept
            #expect((1...5).contains(kept.changes ?? 0), "\(answer.body.prefix(200))")
        }
    }

    @Test func `the state that a copy is told when it begins is no change`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            for id in 0..<50 { try publisher.merge("User", "\(id)", ["age": 1]) }
            let subscriber = try network.subscriber()
            try await withConsole(of: [.subscriber(subscriber)], gateway: ModelGateway(of: .subscriber(subscriber))) {
                client in
                try await network.settle()
                // Once a second it is looked at whether the copy is complete.
                #expect(try await client.eventually("/v1/history") { $0.status == 200 })
                #expect(try await history(client).changes.isEmpty)
                try publisher.merge("User", "7", ["age": 2])
                try await network.settle()
                #expect(try await history(client).changes.map(\.old) == [["age": 1]])
            }
        }
    }

    @Test func `without a history the answer says how to have one, and streams begin anew`() async throws {
        try await withHistory(byteCount: 0) { publisher, client, network in
            let answer = try await client.get("/v1/history")
            #expect(answer.status == 404 && answer.body.contains("--history"))
            let first = try EventReader(client.port, "/v1/changes")
            let last = await first.events(until: { $0.name == "live" }).last
            let again = try EventReader(client.port, "/v1/changes?lastEventID=\(last?.id ?? "")")
            #expect(await again.events(until: { $0.name == "live" }).map(\.name) == ["reset", "snapshot", "live"])
        }
    }

    @Test(arguments: [
        ("?limit=0", "limit"), ("?limit=1001", "limit"), ("?before=0", "before"), ("?before=x", "before"),
        ("?type=1x", "type"), ("?colour=1", "colour"), ("?field=a&field=b", "field"),
    ])
    func `a question that makes no sense is refused with what is wrong`(query: String, word: String) async throws {
        try await withHistory { publisher, client, network in
            let answer = try await client.get("/v1/history\(query)")
            #expect(answer.status == 400 && answer.body.contains(word), "\(answer.body)")
        }
    }

    @Test func `a token sees only the changes of types that it may read`() async throws {
        let reader = BearerToken.random()
        let grants = "grant \(reader.key) dashboard subscribe:User"
        try await withHistory(tokens: Access(try Grants(parsing: grants))) { publisher, client, network in
            try publisher.merge("User", "1", ["age": 1])
            try publisher.merge("Secret", "1", ["age": 1])
            try await network.settle()
            let answer = try await client.get("/v1/history", "Authorization: Bearer \(reader.text)")
            let told = try JSONDecoder().decode(Told.self, from: Data(answer.body.utf8))
            #expect(told.changes.map(\.type) == ["User"])
            // How much there is of other types is not for it either.
            #expect(told.kept.changes == nil && told.kept.bytes == nil)
            let secret = try await client.get("/v1/history?type=Secret", "Authorization: Bearer \(reader.text)")
            #expect(secret.status == 404)
            #expect(try await client.get("/v1/history").status == 401)
        }
    }

    @Test func `each field of a model is told with its value, its writer and its time`() async throws {
        try await withHistory { publisher, client, network in
            try publisher.merge("User", "a/b", ["age": 1, "name": "Ada"])
            try await network.settle()
            struct Cells: Decodable {
                let id: String
                let cells: [Cell]
                let touched: Told.Written?
                let floor: Told.Written?
            }
            struct Cell: Decodable {
                let field: String
                let written: Told.Written
            }
            let answer = try await client.get("/v1/cells/User/a%2Fb")
            let told = try JSONDecoder().decode(Cells.self, from: Data(answer.body.utf8))
            #expect(told.id == "a/b" && told.cells.map(\.field) == ["age", "name"])
            #expect(told.cells.allSatisfy { $0.written.origin == "publisher" && $0.written.time != nil })
            #expect(told.touched?.origin == "publisher" && told.floor == nil)
            #expect(try await client.get("/v1/cells/User/none").status == 404)
        }
    }

    @Test func `names that are written in two ways are two names`() async throws {
        try await withHistory { publisher, client, network in
            let (composed, apart) = ("\u{E9}", "e\u{301}")
            try publisher.merge("User", composed, [composed: 1])
            try publisher.merge("User", apart, [apart: 2])
            try await network.settle()
            for (name, query, value) in [(composed, "%C3%A9", 1), (apart, "e%CC%81", 2)] {
                let byID = try await history(client, "?type=User&id=\(query)")
                #expect(byID.changes.count == 1 && Array(byID.changes[0].id.utf8) == Array(name.utf8))
                let byField = try await history(client, "?type=User&field=\(query)")
                #expect(byField.changes.map(\.new) == [[name: value]])
            }
        }
    }
}
