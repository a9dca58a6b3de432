import Foundation
import Modelcast
import ModelcastTesting
import Testing

@testable import ModelcastConsole

/// Models that are written over HTTP: through a gateway that pushes to a relay, as the command does.
@Suite(.timeLimit(.minutes(5))) struct WriteRequestTests {
    private static let patch = "application/merge-patch+json"
    private static let merge = "application/vnd.modelcast.merge+json"

    private struct Parts {
        let network: TestNetwork
        /// Another publisher of the same models.
        let accounts: Publisher
        let writer: Publisher
        let subscriber: Subscriber
        let client: ConsoleClient
    }

    private func withGateway(
        tokens: Access? = nil, keepsPushing: Bool = false, _ body: (Parts) async throws -> Void
    ) async throws {
        try await withNetwork { network in
            let accounts = try await network.publisher("accounts")
            _ = try await network.relay(of: ["accounts"])
            let writer = try network.job("web", pushingTo: ["relay"]) { $0.keepsPushing = keepsPushing }
            let subscriber = try network.subscriber("web.copy", of: ["relay"])
            try await network.settle()
            let gateway = ModelGateway(of: .subscriber(subscriber), writer: writer, tokens: tokens)
            try await withConsole(of: [.subscriber(subscriber), .publisher(writer)], gateway: gateway) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                try await body(
                    Parts(
                        network: network, accounts: accounts, writer: writer, subscriber: subscriber, client: client))
            }
        }
    }

    private func header(_ answer: ConsoleAnswer) throws -> String {
        "Modelcast-After: \(try #require(answer.headers["modelcast-token"], "\(answer)"))"
    }

    @Test func `what was written is read with its token, with the tag that the write had told`() async throws {
        try await withGateway { parts in
            let client = parts.client
            let path = "/v1/models/User/a%2F1"
            let made = try await client.send("PUT", path, #"{"name":"Ada","address":{"city":"Ely"}}"#)
            #expect(made.status == 201 && made.body.contains(#""model":{"name":"Ada","address":{"city":"Ely"}}"#))
            let read = try await client.get(path, try header(made))
            #expect(read.status == 200 && read.body == made.body && read.headers["etag"] == made.headers["etag"])
            let changed = try await client.send(
                "PATCH", path, #"{"address":{"city":null,"street":"Fore Hill"},"age":36}"#,
                type: WriteRequestTests.patch)
            #expect(changed.status == 200)
            let again = try await client.get(path, try header(changed))
            #expect(again.body.contains(#"{"age":36,"name":"Ada","address":{"street":"Fore Hill"}}"#), "\(again.body)")
            let gone = try await client.send("DELETE", path)
            #expect(gone.status == 204 && gone.body.isEmpty)
            #expect(try await client.get(path, try header(gone)).status == 404)
            #expect(try await client.send("DELETE", path).status == 404)
            #expect(parts.subscriber.cache.count(of: "User") == 0)
        }
    }

    @Test func `a write that another has made undone since is made again`() async throws {
        try await withGateway { parts in
            for _ in 0..<3 {
                let mine = try await parts.client.send(
                    "PATCH", "/v1/models/User/1", #"{"name":"Bob"}"#, type: WriteRequestTests.merge)
                let read = try await parts.client.get("/v1/models/User/1", try header(mine))
                #expect(read.body.contains(#"{"name":"Bob"}"#))
                try parts.accounts.transaction(over: parts.subscriber.cache) { writes in
                    try writes.merge("User", "1", ["name": "Ann"])
                }
                try await parts.network.settle()
                #expect(parts.subscriber["User", "1"]?["name"] == "Ann")
            }
        }
    }

    @Test func `a write that is bound to a tag happens to that state only`() async throws {
        try await withGateway { parts in
            let (client, path) = (parts.client, "/v1/models/User/1")
            func put(_ value: Int, _ headers: String) async throws -> ConsoleAnswer {
                try await client.send(
                    "PUT", path, #"{"n":\#(value)}"#, type: "application/json; charset=utf-8", headers)
            }
            #expect(try await put(0, "If-Match: *").status == 412)
            let first = try await put(1, "If-None-Match: *")
            #expect(first.status == 201)
            let refused = try await put(2, "If-None-Match: *")
            #expect(refused.status == 412 && refused.headers["etag"] == first.headers["etag"])
            #expect(refused.headers["content-type"] == "application/problem+json")
            let tag = try #require(first.headers["etag"])
            let second = try await put(3, "If-Match: \"x\", \(tag)")
            #expect(second.status == 200 && second.headers["etag"] != tag)
            #expect(try await put(4, "If-Match: \(tag)").status == 412)
            #expect(try await put(5, "If-None-Match: \(tag)").status == 400)
            let read = try await client.get(path, try header(second))
            #expect(read.body.contains(#"{"n":3}"#))
        }
    }

    @Test func `of writers that count on what they have read none loses what another has written`() async throws {
        try await withGateway { parts in
            let (client, path) = (parts.client, "/v1/models/Counter/1")
            _ = try await client.send("PUT", path, #"{"n":0}"#)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var done = 0
                        var token = ""
                        while done < 10 {
                            let read = try await client.get(path, token)
                            guard read.status == 200, let tag = read.headers["etag"],
                                let number = read.body.firstMatch(of: /"n":(\d+)/).flatMap({ Int($0.output.1) })
                            else { continue }
                            let written = try await client.send(
                                "PATCH", path, #"{"n":\#(number + 1)}"#, type: WriteRequestTests.merge,
                                "If-Match: \(tag)")
                            if written.status == 200 {
                                done += 1
                                token = try header(written)
                            } else {
                                try #require(written.status == 412, "\(written)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await parts.network.settle()
            #expect(parts.subscriber["Counter", "1"]?["n"] == 40)
        }
    }

    @Test func `of writers of one map each keeps its key`() async throws {
        try await withGateway { parts in
            try parts.accounts.merge("Pod", "1", ["labels": .map(["a.b/c": "x"])])
            try await parts.network.settle()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let answer = try await parts.client.send(
                            "PATCH", "/v1/models/Pod/1", #"{"labels":{"k\#(number)":\#(number)}}"#,
                            type: WriteRequestTests.patch)
                        #expect(answer.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            try await parts.network.settle()
            guard case .map(let labels)? = parts.subscriber["Pod", "1"]?["labels"] else {
                Issue.record("no map")
                return
            }
            #expect(labels.count == 21 && labels["a.b/c"] == "x" && labels["k19"] == 19)
        }
    }

    @Test func `a batch is one step, or none`() async throws {
        try await withGateway { parts in
            let client = parts.client
            let made = try await client.send(
                "POST", "/v1/batch",
                #"""
                {"writes":[{"type":"Account","id":"1","op":"replace","model":{"balance":90},"ifNoneMatch":"*"},
                {"type":"Account","id":"2","op":"merge","model":{"balance":110,"note":null}},
                {"type":"Old","id":"1","op":"patch","model":{"x":{"y":1}}}]}
                """#)
            #expect(made.status == 200, "\(made)")
            let list = try await client.get("/v1/models/Account", try header(made))
            #expect(list.body.contains(#"{"note":null,"balance":110}"#) && list.body.contains(#"{"balance":90}"#))
            let refused = try await client.send(
                "POST", "/v1/batch",
                #"""
                {"writes":[{"type":"Account","id":"1","op":"merge","model":{"balance":0}},
                {"type":"Account","id":"2","op":"delete","ifMatch":"\"other\""}]}
                """#)
            #expect(refused.status == 412)
            let gone = try await client.send(
                "POST", "/v1/batch", #"{"writes":[{"type":"Old","id":"1","op":"delete"}]}"#)
            #expect(gone.status == 200 && gone.body.contains(#""etag":null"#))
            try await parts.network.settle()
            #expect(parts.subscriber["Account", "1"]?["balance"] == 90 && parts.subscriber["Old", "1"] == nil)
        }
    }

    static let badBatches = [
        "[]", "{}", #"{"writes":[]}"#, #"{"writes":[1]}"#, #"{"writes":[{"type":"A","id":"1"}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"upsert","model":{}}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"delete","model":{}}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"merge"}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"merge","model":{},"when":1}]}"#,
        #"{"writes":[{"type":"no type","id":"1","op":"merge","model":{}}]}"#,
        #"{"writes":[{"type":"A","id":"","op":"merge","model":{}}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"merge","model":{"a":{"b":1},"a.b":2}}]}"#,
        #"{"writes":[{"type":"A","id":"1","op":"merge","model":{},"ifMatch":1}]}"#,
        #"{"writes":[],"more":1}"#, "{", "",
    ]

    @Test func `what cannot be written is refused with what to do, and nothing is written`() async throws {
        try await withGateway { parts in
            let client = parts.client
            for body in WriteRequestTests.badBatches {
                let answer = try await client.send("POST", "/v1/batch", body)
                #expect((400...422).contains(answer.status), "\(body): \(answer.status)")
                #expect(answer.headers["content-type"] == "application/problem+json", "\(body)")
            }
            let many = (0..<65).map { #"{"type":"A","id":"\#($0)","op":"merge","model":{}}"# }.joined(separator: ",")
            #expect(try await client.send("POST", "/v1/batch", "{\"writes\":[\(many)]}").status == 413)
            let plain = try await client.send("PATCH", "/v1/models/A/1", "{}")
            #expect(plain.status == 415 && plain.headers["accept-patch"]?.contains(WriteRequestTests.patch) ?? false)
            #expect(plain.headers["accept-patch"]?.contains(WriteRequestTests.merge) ?? false)
            #expect(try await client.send("PUT", "/v1/models/A/1", "{}", type: "text/plain").status == 415)
            let part = try await client.send("PUT", "/v1/models/A/1", "{}", "Content-Range: bytes 0-1/9")
            #expect(part.status == 400 && part.body.contains("PATCH"))
            #expect(try await client.send("PUT", "/v1/models/A/1", "{}", "Content-Encoding: gzip").status == 415)
            #expect(try await client.send("PUT", "/v1/models/A/1", "[1]").status == 400)
            #expect(try await client.send("PUT", "/v1/models/A/1", #"{"a":9223372036854775808}"#).status == 400)
            #expect(try await client.send("PUT", "/v1/models/no%20type/1", "{}").status == 422)
            #expect(try await client.send("PUT", "/v1/models/A/1", #"{"$leaseMs":5000}"#).status == 422)
            #expect(try await client.send("PUT", "/v1/models/A/1?x=1", "{}").status == 400)
            let text = String(repeating: "x", count: 1 << 20)
            let large = try await client.send("PUT", "/v1/models/A/1", #"{"a":"\#(text)"}"#)
            #expect(large.status == 413)
            let wrong = try await client.send("POST", "/v1/models/A/1", "{}")
            #expect(wrong.status == 405 && wrong.headers["allow"] == "GET, HEAD, PATCH, PUT, DELETE")
            #expect(try await client.send("GET", "/v1/batch").headers["allow"] == "POST")
            #expect(try await client.send("PATCH", "/v1/model/A/1", "{}").status == 404)
            #expect(try await client.send("PUT", "/v1/models/A/1", "{}", "If-Match: abc").status == 400)
            let one = #"{"writes":[{"type":"A","id":"1","op":"merge","model":{}}]}"#
            #expect(try await client.send("POST", "/v1/batch", one, "If-Match: *").status == 400)
            #expect(try await client.get("/v1/types", "Modelcast-After: nonsense").status == 400)
            let foreign = try await client.send("PUT", "/v1/models/A/1", "{}", "Origin: http://example.com")
            #expect(foreign.status == 403)
            #expect(parts.writer.cache.types.allSatisfy { parts.writer.cache.count(of: $0) == 0 })
        }
    }

    @Test func `what a write that changes nothing names can be read, also at a new start of its publisher`()
        async throws
    {
        try await withNetwork { network in
            _ = try await network.relay(of: [])
            let subscriber = try network.subscriber("web.copy", of: ["relay"])
            for _ in 0..<2 {
                let writer = try network.job("web", pushingTo: ["relay"])
                try await network.settle()
                let gateway = ModelGateway(of: .subscriber(subscriber), writer: writer)
                try await withConsole(of: [.subscriber(subscriber)], gateway: gateway) { client in
                    #expect(try await client.eventually("/readyz") { $0.status == 200 })
                    _ = try await client.send("PUT", "/v1/models/Other/1", #"{"a":1}"#)
                    try await network.settle()
                    for _ in 0..<2 {
                        let same = try await client.send("PUT", "/v1/models/User/1", #"{"a":1}"#)
                        let read = try await client.get("/v1/models/User/1", try header(same))
                        #expect(read.status == 200, "\(read)")
                    }
                }
                try await network.stop("web")
            }
        }
    }

    @Test func `a write with a token is made to what the token names`() async throws {
        try await withGateway { parts in
            try parts.network.hold(from: "relay", to: "web.copy")
            try parts.accounts.merge("User", "1", ["n": 1])
            let after = "Modelcast-After: \(parts.accounts.writeToken)"
            let client = parts.client
            let waiting = Task { try await client.send("PUT", "/v1/models/User/1", "{}", after, "If-None-Match: *") }
            try await parts.network.settle()
            try parts.network.release(from: "relay", to: "web.copy")
            #expect(try await waiting.value.status == 412)
            #expect(try await client.send("DELETE", "/v1/models/User/1", nil, "Modelcast-After: junk").status == 400)
            #expect(try await client.send("DELETE", "/v1/models/User/1", nil, "Modelcast-After: ").status == 400)
        }
    }

    @Test func `a gateway whose relay has lost what it had says so, and one that keeps pushing brings all of it again`()
        async throws
    {
        for keepsPushing in [false, true] {
            try await withGateway(keepsPushing: keepsPushing) { parts in
                _ = try await parts.client.send("PUT", "/v1/models/User/1", #"{"n":1}"#)
                try await parts.network.settle()
                try await parts.network.stop("relay")
                let relay = try await parts.network.relay(of: ["accounts"])
                // The first write may be taken before the relay was asked.
                _ = try await parts.client.send("PUT", "/v1/models/User/2", #"{"n":2}"#)
                if keepsPushing {
                    let deadline = ContinuousClock.now + .seconds(60)
                    while relay.cache.count(of: "User") < 2, ContinuousClock.now < deadline {
                        try await parts.network.advance(by: .milliseconds(500))
                    }
                    #expect(relay["User", "1"]?["n"] == 1 && relay["User", "2"]?["n"] == 2)
                    let last = try await parts.client.send("PUT", "/v1/models/User/3", #"{"n":3}"#)
                    #expect(try await parts.client.get("/v1/models/User/3", try header(last)).status == 200)
                } else {
                    let deadline = ContinuousClock.now + .seconds(60)
                    while parts.writer.pushProgress?.failure == nil, ContinuousClock.now < deadline {
                        try await parts.network.advance(by: .milliseconds(100))
                    }
                    let refused = try await parts.client.send("PUT", "/v1/models/User/3", "{}")
                    #expect(refused.status == 503 && refused.body.contains("it would reach no relay"))
                    let health = try await parts.client.get("/readyz")
                    #expect(health.status == 503 && health.body.contains("[-] web pushes"), "\(health.body)")
                }
            }
        }
    }

    @Test func `a write that would push other fields out of the model is refused`() async throws {
        try await withGateway { parts in
            try parts.accounts.merge("Big", "1", ["keep": "precious"])
            try await parts.network.settle()
            for part in 0..<5 {
                let fields = (0..<1_000).map { "\"f\(part)_\($0)\":0" }.joined(separator: ",")
                let answer = try await parts.client.send(
                    "PATCH", "/v1/models/Big/1", "{\(fields)}", type: WriteRequestTests.patch)
                #expect(answer.status == (part < 4 ? 200 : 422), "\(part): \(answer.status)")
            }
            try await parts.network.settle()
            #expect(parts.subscriber["Big", "1"]?["keep"] == "precious")
            #expect(parts.subscriber["Big", "1"]?.cellCount == 4_001)
            // What is refused is not written out.
            let list = String(repeating: "0,", count: 100_000) + "0"
            let end = try await parts.client.send("PUT", "/v1/models/Big/2", "{\"$expires\":[\(list)]}")
            #expect(end.status == 422 && end.body.utf8.count < 1_000)
        }
    }

    @Test func `requests that wait leave connections to others`() async throws {
        try await withGateway { parts in
            let made = try await parts.client.send("PUT", "/v1/models/User/1", "{}")
            try parts.network.hold(from: "relay", to: "web.copy")
            try parts.accounts.merge("User", "2", ["n": 1])
            let (client, after) = (parts.client, "Modelcast-After: \(parts.accounts.writeToken)")
            _ = try await client.get("/v1/models/User/1", try header(made))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<70 { group.addTask { try await client.get("/v1/models/User/2", after).status } }
                var statuses: [Int] = []
                while let status = try await group.next() {
                    statuses.append(status)
                    guard statuses.count == 6 else { continue }
                    // All places are taken by those that still wait.
                    #expect(try await client.get("/livez").status == 200)
                    try parts.network.release(from: "relay", to: "web.copy")
                }
                return statuses
            }
            #expect(statuses.count { $0 == 503 } == 6 && statuses.count { $0 == 200 } == 64, "\(statuses)")
        }
    }

    @Test func `a token whose rights have changed while its request waited gets nothing`() async throws {
        let token = BearerToken.random()
        let tokens = Access(try Grants(parsing: "grant \(token.key) reader subscribe:User\n"))
        try await withGateway(tokens: tokens) { parts in
            try parts.network.hold(from: "relay", to: "web.copy")
            try parts.accounts.merge("User", "1", ["n": 1])
            let (client, after) = (parts.client, "Modelcast-After: \(parts.accounts.writeToken)")
            let bearer = "Authorization: Bearer \(token.text)"
            let waiting = Task { try await client.get("/v1/models/User/1", after, bearer) }
            try await parts.network.settle()
            tokens.replace(by: try Grants(parsing: "grant \(token.key) reader subscribe:Order\n"))
            try parts.network.release(from: "relay", to: "web.copy")
            #expect(try await waiting.value.status != 200)
            #expect(try await client.get("/v1/types", after, bearer).status == 403)
        }
    }

    @Test func `a read of what has not come yet is told to come again`() async throws {
        try await withGateway { parts in
            try parts.network.cut(from: "relay", to: "web.copy")
            let made = try await parts.client.send("PUT", "/v1/models/User/1", "{}")
            let read = try await parts.client.get("/v1/models/User/1", try header(made))
            #expect(read.status == 503 && read.headers["retry-after"] == "1")
            #expect(read.body.contains("web.copy"), "\(read.body)")
            try parts.network.mend(from: "relay", to: "web.copy")
            try await parts.network.settle()
            #expect(try await parts.client.get("/v1/models/User/1", try header(made)).status == 200)
        }
    }

    @Test func `a token writes what its grant says, as this publisher`() async throws {
        var access: [String: String] = [:]
        var grants = ""
        for (name, rights) in [
            ("writer", "publish:User origin=web"), ("other", "publish:User origin=someone"), ("reader", "subscribe:*"),
        ] {
            let token = BearerToken.random()
            access[name] = token.text
            grants += "grant \(token.key) \(name) \(rights)\n"
        }
        let tokens = Access(try Grants(parsing: grants))
        try await withGateway(tokens: tokens) { parts in
            let expected = [
                ("writer", "User", 201), ("writer", "Order", 403), ("other", "User", 403), ("reader", "User", 403),
                ("nobody", "User", 401),
            ]
            for (name, type, status) in expected {
                let token = "Authorization: Bearer \(access[name] ?? "")"
                let answer = try await parts.client.send("PUT", "/v1/models/\(type)/1", "{}", token)
                #expect(answer.status == status, "\(name) writes \(type)")
            }
        }
    }

    @Test func `pages of the sites that were named may ask, and no others`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher), writer: publisher)
            let configuration = try configured { $0.origins = ["https://app.example.com"] }
            try await withConsole(
                of: [.publisher(publisher)], gateway: gateway, configuration: configuration
            ) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let origin = "Origin: https://App.example.com"
                let first = try await client.send(
                    "OPTIONS", "/v1/models/User/1", nil, origin, "Access-Control-Request-Method: PATCH")
                #expect(first.status == 204)
                #expect(first.headers["access-control-allow-origin"] == "https://App.example.com")
                #expect(first.headers["access-control-allow-methods"]?.contains("PATCH") ?? false)
                #expect(first.headers["access-control-allow-headers"]?.contains("Modelcast-After") ?? false)
                let made = try await client.send("PUT", "/v1/models/User/1", #"{"a":1}"#, origin)
                #expect(made.status == 201 && made.headers["vary"] == "Origin")
                #expect(made.headers["access-control-expose-headers"]?.contains("Modelcast-Token") ?? false)
                // A page is to be able to read what is wrong, too.
                let wrong = try await client.get("/v1/models/User/2", origin)
                #expect(wrong.status == 404 && wrong.headers["access-control-allow-origin"] != nil)
                for other in ["https://example.com", "http://app.example.com", "null"] {
                    let refused = try await client.send("PUT", "/v1/models/User/1", "{}", "Origin: \(other)")
                    #expect(refused.status == 403 && refused.headers["access-control-allow-origin"] == nil)
                    let early = try await client.send(
                        "OPTIONS", "/v1/models/User/1", nil, "Origin: \(other)", "Access-Control-Request-Method: PUT")
                    #expect(early.status == 403)
                }
            }
        }
    }

    @Test func `a process that only reads refuses to write`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher))
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let answer = try await client.send("PUT", "/v1/models/User/1", "{}")
                #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
                #expect(try await client.send("POST", "/v1/batch", "{}").status == 405)
            }
        }
    }

    @Test func `a publisher's own copy is written as well`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            let gateway = ModelGateway(of: .publisher(publisher), writer: publisher)
            try await withConsole(of: [.publisher(publisher)], gateway: gateway) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let made = try await client.send("PUT", "/v1/models/User/1", #"{"a":1}"#)
                #expect(made.status == 201)
                let read = try await client.get("/v1/models/User/1", try header(made))
                #expect(read.body == made.body)
                #expect(try await client.get("/v1/types", "Modelcast-After: other;1").status == 400)
            }
        }
    }
}
