import Foundation
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// The page that shows a process, and the comparison of a copy with its senders.
@Suite(.timeLimit(.minutes(5))) struct InspectorTests {
    @Test func `the page is one document that runs nothing but its own script, and asks nobody else`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher))
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                let page = try await client.get("/")
                #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(page.body.utf8.count < 200_000)
                let policy = try #require(page.headers["content-security-policy"])
                let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-z]+)'/)).1
                #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
                #expect(page.body.components(separatedBy: "nonce=\"\(nonce)\"").count == 3)
                for word in ["http://", "https://", "NONCE", " onclick=", " style=", "innerHTML"] {
                    let found = page.body.replacing("http://www.w3.org/2000/svg", with: "").contains(word)
                    #expect(!found, "\(word) stands in the page")
                }
                let again = try await client.get("/")
                #expect(again.headers["content-security-policy"] != policy)
            }
            try await withConsole(of: [.publisher(publisher)]) { client in
                let page = try await client.get("/")
                #expect(page.status == 404)
            }
        }
    }

    /// What the tests read of `/v1/comparison`.
    private struct Told: Decodable {
        let with: String
        let types: [TypeRow]

        struct TypeRow: Decodable {
            let type: String
            let verdict: String
            let digest: String?
            let here: String?
            let differences: [Difference]?
            let differencesCount: Int?
        }
        struct Difference: Decodable {
            let id: String
            let part: String
            let field: String?
            let here: Side?
            let there: Side?
        }
        struct Side: Decodable { let value: Int? }
    }

    private func comparison(_ client: ConsoleClient, _ query: String = "") async throws -> Told {
        let answer = try await client.get("/v1/comparison\(query)")
        #expect(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(Told.self, from: Data(answer.body.utf8))
    }

    @Test func `a copy that has everything is equal to its sender, with the digest of both`() async throws {
        try await withPair { publisher, subscriber, network in
            for id in 0..<300 { try publisher.merge("User", "\(id)", ["age": 1]) }
            try publisher.delete("User", "7")
            try await network.settle()
            let gateway = ModelGateway(of: .subscriber(subscriber))
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                let told = try await comparison(client)
                let digest = String(subscriber.cache.digest(of: "User"), radix: 16)
                #expect(told.with == "publisher" && told.types.map(\.verdict) == ["equal"])
                #expect(told.types.first?.digest?.hasSuffix(digest) ?? false)
                for (query, word) in [("?sender=2", "1 to 1"), ("?sender=0", "sender"), ("?to=1", "to")] {
                    let answer = try await client.get("/v1/comparison\(query)")
                    #expect(answer.status == 400 && answer.body.contains(word), "\(answer.body)")
                }
            }
        }
    }

    @Test func `what a copy lacks is told, model by model and field by field`() async throws {
        try await withPair { publisher, subscriber, network in
            for id in 0..<20 { try publisher.merge("User", "\(id)", ["age": 1, "size": 2]) }
            try await network.settle()
            try await network.stop("subscriber")
            try publisher.merge("User", "3", ["age": 5])
            try publisher.merge("User", "new", ["age": 1])
            try publisher.delete("User", "4")
            let gateway = ModelGateway(of: .subscriber(subscriber))
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                let told = try await comparison(client)
                let type = try #require(told.types.first)
                #expect(type.verdict == "different" && type.differencesCount == type.differences?.count)
                let fields = try #require(type.differences).filter { $0.id == "3" && $0.part == "field" }
                #expect(fields.map(\.field) == ["age"] && fields.first?.here?.value == 1)
                #expect(fields.first?.there?.value == 5)
                let models = try #require(type.differences).filter { $0.part == "model" }
                #expect(models.map(\.id) == ["4", "new"])
                #expect(models.first?.there == nil && models.last?.here == nil)
            }
        }
    }

    @Test func `a sender that lacks some writers of a type cannot be compared with, and that is said`() async throws {
        try await withNetwork { network in
            let (first, second) = (try await network.publisher("first"), try await network.publisher("second"))
            let subscriber = try network.subscriber(of: ["first", "second"])
            try first.merge("User", "1", ["age": 1])
            try second.merge("User", "2", ["age": 1])
            try await network.settle()
            let gateway = ModelGateway(of: .subscriber(subscriber))
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                let told = try await comparison(client, "?sender=2")
                #expect(told.with == "second" && told.types.map(\.verdict) == ["apart"])
                #expect(told.types.first?.here?.contains("first") ?? false)
            }
        }
    }

    @Test func `comparing is for operators, and a publisher has nobody to be compared with`() async throws {
        let tokens = try TwoTokens()
        let (reader, operate) = (tokens.reader, tokens.operate)
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher), tokens: tokens.access)
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                let refused = try await client.get("/v1/comparison", "Authorization: Bearer \(reader.text)")
                #expect(refused.status == 403)
                let answer = try await client.get("/v1/comparison", "Authorization: Bearer \(operate.text)")
                #expect(answer.status == 404 && answer.body.contains("listens to nobody"))
                #expect(try await client.send("POST", "/v1/comparison", "{}").status == 405)
            }
        }
    }
}
