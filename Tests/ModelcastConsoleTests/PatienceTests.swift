import Logging
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// For how long a console waits for its clients, and keeps them waiting, with shorter times than it has by default.
@Suite(.timeLimit(.minutes(5))) struct PatienceTests {
    /// Runs a console of a publisher whose models may be written.
    private func withGateway(
        _ change: (inout ModelGateway, inout ConsoleConfiguration) -> Void,
        _ body: (Publisher, ConsoleClient) async throws -> Void
    ) async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            var gateway = ModelGateway(of: .publisher(publisher), writer: publisher)
            var configuration = try ConsoleConfiguration("127.0.0.1:0")
            change(&gateway, &configuration)
            try await withConsole(of: [.publisher(publisher)], gateway: gateway, configuration: configuration) {
                client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                try await body(publisher, client)
            }
        }
    }

    @Test func `a stream without changes says now and then that it lives, and where it is`() async throws {
        try await withGateway { gateway, _ in
            gateway.heartbeatPause = .milliseconds(10)
        } _: { publisher, client in
            try publisher.merge("User", "1", ["age": 1])
            let reader = try EventReader(client.port, "/v1/changes")
            _ = await reader.events(until: { $0.name == "live" })
            let quiet = try #require(await reader.events(1).first)
            #expect(quiet.name == "heartbeat" && quiet.flag("ready"), "\(quiet)")
            // Whoever goes on from there misses nothing, and is told nothing twice.
            try publisher.merge("User", "1", ["age": 2])
            let again = try EventReader(client.port, "/v1/changes?lastEventID=\(quiet.id ?? "")")
            let told = await again.events(2).filter { $0.name != "heartbeat" }
            #expect(told.first?.name == "change" && told.first?.data.contains(#""new":{"age":2}"#) ?? false, "\(told)")
        }
    }

    @Test func `the content of a request that does not come is not waited for`() async throws {
        try await withGateway { gateway, _ in
            gateway.bodyPatience = .milliseconds(50)
        } _: { publisher, client in
            let head = "PUT /v1/models/User/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            let request = head + "Content-Length: 100\r\nConnection: close\r\n\r\n{\"a"
            let answer = String(
                decoding: try #require(try await client.exchange(Array(request.utf8), isLast: false)), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 408") && answer.contains("took more than 0.05 seconds"), "\(answer)")
            #expect(publisher["User", "1"] == nil)
            #expect(try await client.get("/livez").status == 200)
        }
    }

    @Test(arguments: ["", "GET /livez HTTP/1.1\r\nHost: loc", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"])
    func `a connection that says nothing more is closed`(begin: String) async throws {
        try await withGateway { _, configuration in
            configuration.silencePatience = .milliseconds(200)
        } _: { _, client in
            // Nil would be a connection that stays open.
            let bytes = try #require(try await client.exchange(Array(begin.utf8), isLast: false))
            #expect(String(decoding: bytes, as: UTF8.self).contains(" 200 OK") == begin.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `an ambiguous request behind another one ends the connection after the answer to that`() async throws {
        try await withConsole(of: []) { client in
            let good = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let ambiguous = "GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
            let bytes = try #require(
                try await client.exchange(Array((good + ambiguous + good).utf8), isLast: false))
            let answers = String(decoding: bytes, as: UTF8.self).split(separator: "HTTP/1.1 ")
            #expect(answers.first?.hasPrefix("200") ?? false && answers.first?.hasSuffix("\r\n\r\nok\n") ?? false)
            // The first may have been answered before the second came.
            #expect(answers.dropFirst().allSatisfy { $0.hasPrefix("400") } && answers.count <= 2, "\(answers)")
        }
    }

    @Test func `streams that leave no room for other requests are refused`() async throws {
        await #expect {
            try await withGateway { gateway, configuration in
                (gateway.streamCountMax, configuration.connectionCountMax) = (201, 300)
            } _: { _, _ in
            }
        } throws: { error in
            "\(error)".contains("raise connectionCountMax to 301")
        }
    }
}
