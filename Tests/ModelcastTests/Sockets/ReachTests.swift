import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// What the library says where nobody can be reached: by its status, and once by its log.
@Suite(.timeLimit(.minutes(15))) struct ReachTests {
    /// An endpoint at which nothing listens any more.
    private func freed() throws -> String {
        let socket = try Socket(.router, in: Context())
        try socket.bind("tcp://127.0.0.1:*")
        return try socket.lastEndpoint()
    }

    /// Expects that a subscriber, a relay and a job of `endpoint` say why they do not reach it.
    private func expectTold(_ endpoint: String, _ reason: String) async throws {
        let (subscribing, relaying, pushing) = (RecordedLog(), RecordedLog(), RecordedLog())
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: "s", publishers: [endpoint]), logger: subscribing.makeLogger())
        let relay = try Relay(
            RelayConfiguration(
                name: "r", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [endpoint]),
            logger: relaying.makeLogger())
        let job = try Publisher(
            PublisherConfiguration(name: "job", pushingTo: [endpoint]), logger: pushing.makeLogger())
        try job.merge("User", "1", ["age": 1])
        try await during(subscriber) { subscriber in
            try await during(relay) { relay in
                try await during(job) { job in
                    #expect(
                        await eventually { subscriber.status.senders.first?.lastError?.contains(reason) == true },
                        "\(subscriber.status)")
                    #expect(await eventually { relay.status.senders.first?.lastError?.contains(reason) == true })
                    #expect(
                        await eventually { job.pushProgress?.relays.first?.lastError?.contains(reason) == true },
                        "\(String(describing: job.pushProgress))")
                }
            }
        }
        for (log, message) in [
            (subscribing, "a sender cannot be reached"), (relaying, "a sender cannot be reached"),
            (pushing, "a relay cannot be reached"),
        ] {
            let told = log.entries.filter { $0.message == message }
            #expect(told.count == 1, "\(told)")
            #expect(told.first?.level == .warning && told.first?.metadata["reason"]?.contains(reason) == true)
        }
    }

    @Test func `a port that nobody listens at is told`() async throws {
        let endpoint = try freed()
        try await expectTold(endpoint, "cannot reach \(endpoint): Connection refused")
    }

    @Test func `a path at which there is nothing is told`() async throws {
        let folder = try TemporaryDirectory()
        let endpoint = "ipc://\(folder.path("nobody"))"
        try await expectTold(endpoint, "cannot reach \(endpoint): No such file or directory")
    }

    @Test func `a host that cannot be looked up is told`() async throws {
        try await expectTold("tcp://no-such-host.invalid:7400", "cannot resolve host no-such-host.invalid")
    }

    @Test func `the stream's port in place of control's is told`() async throws {
        try await running(makePublisher(nil, control: "tcp://127.0.0.1:*")) { endpoints in
            try await expectTold(endpoints.stream, "give a publisher's control endpoint, not its stream")
        }
    }

    @Test func `a web server in place of a sender is told`() async throws {
        let server = try WebServer()
        try await expectTold(server.endpoint, "what listens at \(server.endpoint) does not speak ZeroMQ")
        withExtendedLifetime(server) {}
    }

    @Test func `inproc is refused, as it reaches nobody`() throws {
        #expect(errorCode { _ = try ControlClient(endpoint: "inproc://x") } == .endpoint)
        #expect(
            errorCode {
                _ = try Subscriber(SubscriberConfiguration(name: "s", publishers: ["inproc://x"]), logger: silent)
            } == .endpoint)
    }

    @Test func `who comes back is found, and the reason goes`() async throws {
        let folder = try TemporaryDirectory()
        let endpoint = "ipc://\(folder.path("c"))"
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: "s", publishers: [endpoint]), logger: silent)
        try await during(subscriber) { subscriber in
            #expect(await eventually { subscriber.status.senders.first?.lastError?.contains("cannot reach") == true })
            try await running(makePublisher(nil, control: endpoint)) { _ in
                try await subscriber.waitUntilLive()
                #expect(await eventually { subscriber.status.senders.first?.lastError == nil })
            }
        }
    }
}

/// A web server that finds whatever it is told a bad request, on a thread of its own.
private final class WebServer: Sendable {
    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    let endpoint: String
    private let state = State()

    private static let answer =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
        + "400 Bad Request"

    init() throws {
        let listener = try RawListener()
        endpoint = listener.endpoint
        let state = self.state
        let thread = Thread {
            while !state.isOver.load(ordering: .acquiring) {
                guard let client = try? listener.accept() else { continue }
                client.send(Array(WebServer.answer.utf8))
                client.finishSending()
                // Until the client has said something, or is gone: what is not read would reset the connection.
                _ = client.readSome()
            }
        }
        thread.name = "web-server"
        thread.start()
    }

    deinit {
        state.isOver.store(true, ordering: .releasing)
        // One more client, for which the thread waits.
        _ = try? RawConnection(to: endpoint)
    }
}
