import Foundation
import Modelcast
import ModelcastTesting
import Testing

@testable import ModelcastConsole

/// Models over HTTP, one by one and in pages.
@Suite(.timeLimit(.minutes(5))) struct ModelRequestTests {
    private func withGateway(
        tokens: Access? = nil, _ body: (Publisher, ConsoleClient) async throws -> Void
    ) async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher), tokens: tokens)
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                // Before the publisher's thread has begun no models are served.
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                try await body(publisher, client)
            }
        }
    }

    private func object(_ answer: ConsoleAnswer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    @Test func `a model is its fields, nested or flat, whole or in part, with its version`() async throws {
        try await withGateway { publisher, client in
            try publisher.merge("User", "a/b ä", ["name": "Ada", "address.city": "London", "big": .int(1 << 60)])
            let path = "/v1/models/User/a%2Fb%20%C3%A4"
            let answer = try await client.get(path)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            let version = try #require(publisher.cache["User", "a/b ä"]?.touched)
            #expect(
                answer.body == #"{"type":"User","id":"a/b ä","model":{"big":1152921504606846976,"name":"Ada","#
                    + #""address":{"city":"London"}},"version":"\#(version)"}"# + "\n")
            let flat = try await client.get(path + "?form=flat&integers=text&fields=address,big").body
            #expect(flat.contains(#""model":{"big":"1152921504606846976","address.city":"London"}"#))
            #expect(try await client.get("/v1/models/User/nobody").status == 404)
            #expect(try await client.get("/v1/models/Nothing/1").status == 404)
        }
    }

    @Test func `of a copy that does not hold all a model comes back where the request says so`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            for number in 0..<10 { try publisher.merge("User", "\(number)", ["number": .int(Int64(number))]) }
            let subscriber = try network.subscriber("lazy", of: ["publisher"]) { $0.prefetch = .none }
            let gateway = ModelGateway(of: .subscriber(subscriber))
            try await network.settle()
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let away = try await client.get("/v1/models/User/7")
                #expect(away.status == 404 && away.body.contains("ask with fetch=true"), "\(away.body)")
                let answer = try await client.get("/v1/models/User/7?fetch=true")
                #expect(answer.status == 200 && answer.body.contains(#""number":7"#), "\(answer.body)")
                #expect(try await client.get("/v1/models/User/7").status == 200)
                let nobody = try await client.get("/v1/models/User/nobody?fetch=true")
                #expect(nobody.status == 404 && nobody.body.contains("there is no"), "\(nobody.body)")
                #expect(try await client.get("/v1/models/User/7?fetch=perhaps").status == 400)
            }
        }
    }

    @Test func `the tag of a model is another one whenever a field is, and saves sending it again`() async throws {
        try await withGateway { publisher, client in
            try publisher.merge("User", "1", ["age": 36])
            let first = try #require(try await client.get("/v1/models/User/1").headers["etag"])
            let again = try await client.get("/v1/models/User/1", "If-None-Match: \"x\", W/\(first)")
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == first)
            try publisher.merge("User", "1", ["age": 37])
            let second = try await client.get("/v1/models/User/1", "If-None-Match: \(first)")
            #expect(second.status == 200 && second.headers["etag"] != first)
        }
    }

    @Test func `pages have each model once, also while others come and go`() async throws {
        try await withGateway { publisher, client in
            for number in 0..<500 { try publisher.merge("User", "u\(number)", ["number": .int(Int64(number))]) }
            var (seen, after) = ([String](), "")
            var round = 0
            while true {
                let page = try object(try await client.get("/v1/models/User?limit=70" + after))
                let models = try #require(page["models"] as? [[String: Any]])
                #expect(models.count <= 70)
                seen += models.compactMap { $0["id"] as? String }
                // These are not among those that there were all the time.
                try publisher.merge("User", "new\(round)", ["number": 0])
                if round > 0 { try publisher.delete("User", "new\(round - 1)") }
                round += 1
                guard let next = page["next"] as? String else { break }
                after = "&after=\(next)"
            }
            #expect(Set(seen.filter { $0.hasPrefix("u") }) == Set((0..<500).map { "u\($0)" }))
            #expect(Set(seen).count == seen.count)
        }
    }

    @Test func `conditions and a prefix say which models a page has`() async throws {
        try await withGateway { publisher, client in
            for number in 0..<20 {
                try publisher.merge(
                    "User", number < 10 ? "a\(number)" : "b\(number)",
                    ["age": .int(Int64(number)), "city": .text(number % 2 == 0 ? "London" : "Rome")])
            }
            func ids(_ query: String) async throws -> [String] {
                let page = try object(try await client.get("/v1/models/User?\(query)"))
                return (page["models"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }.sorted()
            }
            #expect(try await ids("prefix=b").count == 10)
            #expect(try await ids("where=age%3E%3D18") == ["b18", "b19"])
            #expect(try await ids("where=age<3&where=city=London") == ["a0", "a2"])
            #expect(try await ids("where=city!=London&where=age<=3&prefix=a") == ["a1", "a3"])
            #expect(try await ids("where=nothing=1").isEmpty)
            #expect(try await ids("where=nothing=null&where=city!=null").count == 20)
            #expect(try await ids("where=age%3Enan").isEmpty)
            #expect(try await ids("where=age=0x5").isEmpty)
            #expect(try await ids("where=age<2.5&where=age>=0.5&where=age!=2") == ["a1"])
            try publisher.merge("User", "max", ["age": .int(.max)])
            #expect(try await ids("where=age%3E%3D9223372036854775808").isEmpty)
            #expect(try await ids("where=age%3E%3D9223372036854775807") == ["max"])
        }
    }

    /// The types without their sizes, which depend on how records are made.
    private func types(_ client: ConsoleClient, _ header: String = "Accept: */*") async throws -> String {
        try await client.get("/v1/types", header).body.replacing(/,"bytes":[1-9]\d*/, with: "")
    }

    @Test func `the types are those that have models`() async throws {
        try await withGateway { publisher, client in
            #expect(try await client.get("/v1/types").body == #"{"types":[]}"# + "\n")
            try publisher.merge("User", "1", ["age": 36])
            try publisher.merge("Order", "1", ["sum": 1])
            try publisher.delete("Order", "1")
            #expect(try await types(client) == #"{"types":[{"type":"User","count":1}]}"# + "\n")
        }
    }

    @Test func `what the description has is there, and takes the parameters that it names`() async throws {
        try await withGateway { publisher, client in
            try publisher.merge("User", "1", ["age": 36])
            let document = try object(try await client.get("/openapi.json"))
            let parts = try #require(document["components"] as? [String: [String: Any]])
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            #expect(paths.count == 9)
            let examples = [
                "where": "age>1", "type": "User", "form": "flat", "integers": "text", "state": "none", "fetch": "true",
            ]
            for (path, methods) in paths where methods["get"] != nil {
                var query = ""
                for parameter in methods["get"]?["parameters"] as? [[String: Any]] ?? [] {
                    let reference = (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                    let named = reference.flatMap { parts["parameters"]?[$0] as? [String: Any] } ?? parameter
                    guard named["in"] as? String == "query", let name = named["name"] as? String else { continue }
                    query += "&\(name)=\(examples[name] ?? "1")"
                }
                let url = path.replacing("{type}", with: "User").replacing("{id}", with: "1") + "?" + query.dropFirst()
                // A stream has no end.
                if path == "/v1/changes" {
                    let reader = try EventReader(client.port, url)
                    #expect(await reader.events(1).first?.name == "reset", "\(url)")
                } else {
                    // A publisher has nobody to be compared with.
                    let status = path == "/v1/comparison" ? 404 : 200
                    #expect(try await client.get(url).status == status, "\(url)")
                }
            }
        }
    }

    @Test(
        arguments: [
            "/v1/models/User?limit=0", "/v1/models/User?limit=1001", "/v1/models/User?limit=x",
            "/v1/models/User?form=round", "/v1/models/User?where=age", "/v1/models/User?where=age==3",
            "/v1/models/User?where=age%3D%3E3", "/v1/models/User?where=age<>3", "/v1/models/User?where=%3D3",
            "/v1/models/User?nonsense=1", "/v1/models/User?after=a&after=b", "/v1/models/User?prefix=%FF",
            "/v1/models/User?fields=a,,b", "/v1/models/User/%FF", "/v1/changes?type=9", "/v1/changes?id=",
            "/v1/types?x",
        ])
    func `what cannot be meant is refused, with what can be`(path: String) async throws {
        try await withGateway { publisher, client in
            try publisher.merge("User", "1", ["age": 36])
            let answer = try await client.get(path)
            #expect(answer.status == 400 && answer.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func `a token reads what its grant says, and the rest is as if it were not there`() async throws {
        let tokens = try TwoTokens()
        let (reader, operate) = (tokens.reader, tokens.operate)
        try await withGateway(tokens: tokens.access) { publisher, client in
            try publisher.merge("User", "1", ["age": 36])
            try publisher.merge("Secret", "1", ["key": 1])
            for headers in [[], ["Authorization: Basic \(reader.text)"], ["Authorization: Bearer \(reader.key)"]] {
                let answer = try await client.ask(["GET /v1/types HTTP/1.1", "Host: localhost"] + headers)
                #expect(answer.status == 401 && answer.headers["www-authenticate"]?.hasPrefix("Bearer") ?? false)
            }
            let header = "Authorization: Bearer \(reader.text)"
            #expect(try await types(client, header) == #"{"types":[{"type":"User","count":1}]}"# + "\n")
            #expect(try await client.get("/v1/models/User/1", header).status == 200)
            let hidden = try await client.get("/v1/models/Secret/1", header)
            let missing = try await client.get("/v1/models/Absent/1", header)
            #expect(hidden.status == 404 && hidden.body.replacing("Secret", with: "Absent") == missing.body)
            #expect(try await client.get("/v1/models/Secret", header).status == 404)
            #expect(try await client.get("/v1/models/Secret", "Authorization: bearer \(operate.text)").status == 200)
            // Health and figures need none.
            #expect(try await client.get("/livez").status == 200)
        }
    }

    @Test func `before a copy has been complete once nothing is said of its models`() async throws {
        try await withNetwork { network in
            _ = try await network.publisher()
            try await network.stop("publisher")
            let subscriber = try network.subscriber()
            let gateway = ModelGateway(of: .subscriber(subscriber))
            try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                for path in ["/v1/types", "/v1/models/User", "/v1/models/User/1", "/v1/changes"] {
                    let answer = try await client.get(path)
                    #expect(answer.status == 503 && answer.headers["retry-after"] == "1", "\(path)")
                }
            }
        }
    }

    @Test func `models without tokens are served to this machine alone`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            await #expect(throws: ModelcastError.self) {
                try await withConsole(
                    of: [.publisher(publisher)], gateway: ModelGateway(of: .publisher(publisher)),
                    configuration: try configured { $0.host = "0.0.0.0" }
                ) { _ in }
            }
        }
    }
}
