import Logging
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// Who may ask a console, and what strange requests get.
@Suite(.timeLimit(.minutes(5))) struct ConsoleRequestTests {
    private func ask(_ client: ConsoleClient, _ host: String, _ headers: String...) async throws -> Int {
        try await client.ask(["GET /livez HTTP/1.1", "Host: \(host)"] + headers).status
    }

    @Test func `a page of another site gets nothing, by its name or by its origin`() async throws {
        try await withConsole(of: [], configuration: try configured { $0.hostNames = ["Models.internal"] }) { client in
            for host in [
                "localhost", "127.0.0.1:9", "10.0.0.7", "[::1]:80", "models.internal:9464", "LOCALHOST:\(client.port)",
            ] {
                let status = try await ask(client, host)
                #expect(status == 200, "\(host)")
            }
            for host in ["evil.example", "evil.example:\(client.port)", "127.0.0.1.evil.example", "localhost.evil"] {
                let status = try await ask(client, host)
                #expect(status == 403, "\(host)")
            }
            #expect(try await ask(client, "localhost", "Origin: http://localhost") == 200)
            for origin in ["http://evil.example", "null", "https://localhost", "http://localhost:1"] {
                let status = try await ask(client, "localhost", "Origin: \(origin)")
                #expect(status == 403, "\(origin)")
            }
            for host in ["", "[evil]", "localhost:x", "a b"] {
                let status = try await ask(client, host)
                #expect(status != 200, "\(host)")
            }
        }
    }

    @Test func `what is not there, and what cannot be done, is told with what to do`() async throws {
        try await withConsole(of: []) { client in
            let missing = try await client.get("/nothing")
            #expect(missing.status == 404 && missing.headers["content-type"] == "application/problem+json")
            #expect(missing.body.contains("/livez, /readyz and /metrics"))
            let post = try await client.ask(["POST /livez HTTP/1.1", "Host: localhost", "Content-Length: 0"])
            #expect(post.status == 405 && post.body.contains("use GET"))
            let host = try await client.ask(["GET /livez HTTP/1.1", "Host: evil.example"])
            #expect(host.body.contains("--http-name NAME") && host.body.contains("evil.example"))
            let head = try await client.ask(["HEAD /livez HTTP/1.1", "Host: localhost"])
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func `bytes that are no request, and headers without end, end the connection and nothing else`() async throws
    {
        try await withConsole(of: []) { client in
            let long = String(repeating: "x", count: 64 << 10)
            for text in ["\u{0}\u{1}\u{2}\r\n\r\n", "GET", "GET / HTTP/9.9\r\n\r\n", "GET /\(long) HTTP/1.1\r\n\r\n"] {
                _ = try await client.exchange(Array(text.utf8), isLast: true)
                #expect(try await client.get("/livez").status == 200)
            }
            let answer = try await client.get("/livez", "X: \(long)")
            #expect((400..<500).contains(answer.status))
        }
    }

    @Test func `an address says where to listen, or what is wrong with it`() throws {
        let ipv6 = try ConsoleConfiguration("[::1]:80")
        #expect(ipv6.host == "::1" && ipv6.port == 80)
        let named = try ConsoleConfiguration("localhost:0")
        #expect(named.host == "localhost" && named.port == 0)
        for text in [
            "", "9464", ":9464", "*:9464", "localhost", "localhost:", "localhost:70000", "::1:80",
            "http://127.0.0.1:80",
        ] {
            #expect(throws: ModelcastError.self, "\(text)") { try ConsoleConfiguration(text) }
        }
    }

    @Test func `a port that is taken is an error that says so`() async throws {
        try await withConsole(of: []) { client in
            await #expect(throws: ModelcastError.self) {
                try await withConsole(of: [], configuration: try configured { $0.port = client.port }) { _ in }
            }
        }
    }

    @Test func `a host that nobody knows is an error, and whoever waits for the port is told`() async throws {
        let console = Console(
            try ConsoleConfiguration("nosuch.host.invalid:0"), of: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await #expect(throws: ModelcastError.self) { try await console.run() }
        await #expect(throws: ModelcastError.self) { try await console.boundPort }
    }

    @Test func `connections that say nothing keep nobody else out, and nobody from ending`() async throws {
        try await withConsole(of: [], configuration: try configured { $0.connectionCountMax = 8 }) { client in
            let mute = try (0..<20).map { _ in try RawConnection(to: "tcp://127.0.0.1:\(client.port)") }
            for connection in mute { connection.send(Array("GET /livez HTTP/1.1\r\nHost: loc".utf8)) }
            #expect(try await client.get("/livez").status == 200)
            // The first have given way; those that came last stand until the console ends.
            #expect(mute[0].readToEnd() != nil)
        }
    }

    @Test(arguments: [
        (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"], 403), (["Sec-Fetch-Site: same-site"], 403),
        (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"], 200), (["Sec-Fetch-Site: same-origin"], 200),
        (["Sec-Fetch-Site: none"], 200),
    ])
    func `a page of another site costs nothing, and a person may follow a link`(
        headers: [String], status: Int
    ) async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            try await withConsole(of: [.publisher(publisher)]) { client in
                let lines = ["GET /metrics HTTP/1.1", "Host: localhost:\(client.port)"] + headers
                let answer = try await client.ask(lines)
                #expect(answer.status == status)
            }
        }
    }

    @Test(arguments: [
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "PATCH /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n\r\n",
        "PATCH /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    ])
    func `what others could read differently ends the connection, and nothing behind it is read`(
        head: String
    )
        async throws
    {
        try await withConsole(of: []) { client in
            let next = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let bytes = try #require(try await client.exchange(Array((head + next).utf8), isLast: true))
            let answers = String(decoding: bytes, as: UTF8.self).split(separator: "HTTP/1.1 ")
            #expect(answers.map { $0.prefix(3) } == ["400"])
            #expect(try await client.get("/livez").status == 200)
        }
    }

    @Test func `who waits for leave before it sends content is given it at once`() async throws {
        try await withConsole(of: []) { client in
            let head = [
                "PUT /livez HTTP/1.1", "Host: localhost", "Expect: 100-continue", "Content-Length: 2",
                "Connection: close", "", "",
            ]
            let endpoint = "tcp://127.0.0.1:\(client.port)"
            let (leave, answer) = try await onOwnThread {
                let connection = try RawConnection(to: endpoint)
                connection.send(Array(head.joined(separator: "\r\n").utf8))
                let leave = connection.readSome()
                connection.send(Array("{}".utf8))
                return (leave, connection.readToEnd())
            }
            #expect(String(decoding: leave, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            let text = String(decoding: try #require(answer), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"), "\(text)")
        }
    }

    @Test func `percent-encoding is that of the bytes`() {
        for (text, wanted) in [
            ("a%2Fb", "a/b"), ("%C3%A9", "\u{E9}"), ("%EF%BB%BFabc", "\u{FEFF}abc"), ("%EF%BB%BF", "\u{FEFF}"),
            ("a+b", "a+b"), ("", ""),
        ] {
            #expect(PercentEncoding.decode(text).map { Array($0.utf8) } == Array(wanted.utf8))
        }
        for text in ["%", "%2", "%G0", "%FF", "%C3", "%ED%A0%80"] { #expect(PercentEncoding.decode(text) == nil) }
        #expect(PercentEncoding.decode("a+b", plusIsBlank: true) == "a b")
    }
}
