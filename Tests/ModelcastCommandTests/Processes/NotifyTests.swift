import Foundation
import Modelcast
import TestSupport
import Testing

@testable import ModelcastCommand

/// What the real executable tells systemd.
@Suite struct NotifyTests {
    @Test func `a publisher tells systemd when it is ready and when it stops`() async throws {
        let supervisor = try Supervisor()
        let publisher = try RunningCommand(
            CommandTests.publish, input: nil, environment: ["NOTIFY_SOCKET": supervisor.path])
        let endpoint = try await publisher.endpoint()
        let isReady = await eventually { supervisor.received().contains("READY=1\nSTATUS=serving at \(endpoint)") }
        #expect(isReady, "\(supervisor.received())")
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        #expect(supervisor.received().contains("STOPPING=1"))
    }

    @Test func `a subscriber is ready before any publisher is, and tells how many are live`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let supervisor = try Supervisor()
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", try await publisher.endpoint()],
            environment: ["NOTIFY_SOCKET": supervisor.path])
        let isReady = await eventually { supervisor.received().contains { $0.hasPrefix("READY=1\n") } }
        #expect(isReady)
        let isLive = await eventually { supervisor.received().contains("STATUS=1 of 1 publishers are live") }
        #expect(isLive, "\(supervisor.received())")
        subscriber.signal(SIGTERM)
        #expect(try await subscriber.exitCode() == 0)
        #expect(supervisor.received().contains("STOPPING=1"))
    }

    @Test func `a gateway is ready once it answers, and not where it cannot`() async throws {
        let supervisor = try Supervisor()
        let options = ["gateway", "--connect", "tcp://127.0.0.1:1", "--http"]
        let gateway = try RunningCommand(
            options + ["127.0.0.1:0"], environment: ["NOTIFY_SOCKET": supervisor.path])
        #expect(await eventually { supervisor.received().contains { $0.hasPrefix("READY=1\n") } })
        let isTold = await eventually { gateway.error.contains("console http://") }
        try #require(isTold, "\(gateway.error)")
        let address = try #require(gateway.error.firstMatch(of: /console http:\/\/(\S+)/)).output.1
        let other = try Supervisor()
        let second = try RunningCommand(options + [String(address)], environment: ["NOTIFY_SOCKET": other.path])
        #expect(try await second.exitCode() == 1)
        #expect(second.error.contains("the console cannot listen at \(address)"), "\(second.error)")
        #expect(!other.received().contains { $0.hasPrefix("READY=1") })
        gateway.signal(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    @Test(arguments: [
        CommandTests.publish, ["subscribe", "--connect", "tcp://127.0.0.1:1"],
        ["relay", "--name", "hub", "--bind", "tcp://127.0.0.1:*", "--connect", "tcp://127.0.0.1:1"],
        ["gateway", "--connect", "tcp://127.0.0.1:1", "--http", "127.0.0.1:0"],
    ])
    func `a process whose thread turns tells systemd so where that waits for it, and else nothing`(
        arguments: [String]
    ) async throws {
        let (supervisor, silent) = (try Supervisor(), try Supervisor())
        let publisher = try RunningCommand(
            arguments, input: nil, environment: ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "300000"])
        let other = try RunningCommand(CommandTests.publish, input: nil, environment: ["NOTIFY_SOCKET": silent.path])
        _ = try await other.endpoint()
        #expect(await eventually { supervisor.received().count { $0 == "WATCHDOG=1" } >= 3 })
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        #expect(!silent.received().contains("WATCHDOG=1"))
    }

    @Test func `a thread that has not turned for the whole time is not told to turn`() {
        #expect(Watchdog.turns(.turning(ago: .seconds(59)), within: .seconds(60)))
        #expect(!Watchdog.turns(.turning(ago: .seconds(60)), within: .seconds(60)))
        #expect(Watchdog.turns(.notBegun, within: .seconds(60)) && Watchdog.turns(.ended, within: .seconds(60)))
    }
}

/// Listens as systemd does.
private final class Supervisor {
    let path: String
    private let directory: TemporaryDirectory
    private let descriptor: CInt
    private var messages: [String] = []

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("notify")
        let fd = socket(AF_UNIX, SocketKind.datagram, 0)
        try #require(fd >= 0)
        let address = try #require(UnixAddress(path: path))
        let isBound = unsafe address.withPointer { pointer, length in unsafe bind(fd, pointer, length) == 0 }
        try #require(isBound)
        descriptor = fd
    }

    deinit { close(descriptor) }

    /// Everything that has come so far.
    func received() -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            messages.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}
