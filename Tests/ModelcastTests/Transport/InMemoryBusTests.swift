import Modelcast
import TestSupport
import Testing

/// What is particular to a bus within a process.
@Suite(.timeLimit(.minutes(15))) struct InMemoryBusTests {
    private let bus = InMemoryBus()

    private func configuration(_ control: String) throws -> PublisherConfiguration {
        var configuration = PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: control))
        configuration.transport = .inMemory(bus)
        return configuration
    }

    @Test func `a free name is chosen where any will do`() async throws {
        let first = try Publisher(configuration("memory://*"), logger: silent)
        let second = try Publisher(configuration("memory://*"), logger: silent)
        try await during(first) { first in
            try await during(second) { second in
                let endpoints = try await [first.boundEndpoints, second.boundEndpoints]
                #expect(Set(endpoints.flatMap { [$0.control, $0.stream] }).count == 4)
                try second.merge("User", "1", ["n": 2])
                var configuration = SubscriberConfiguration(name: "s", publishers: [endpoints[1].control])
                configuration.transport = .inMemory(bus)
                try await during(Subscriber(configuration, logger: silent)) { subscriber in
                    #expect(await becomeEqual(second, subscriber))
                }
            }
        }
    }

    @Test func `two buses have nothing to do with each other`() async throws {
        let other = try TransportUnderTest(.inMemory)
        try await during(Publisher(configuration("memory://accounts"), logger: silent)) { first in
            try await during(other.publisher("accounts")) { second in
                try first.merge("User", "1", ["n": 1])
                try second.merge("User", "2", ["n": 1])
                try await during(other.subscriber(of: ["accounts"])) { subscriber in
                    try await subscriber.waitUntilLive()
                    #expect(await becomeEqual(second, subscriber))
                    #expect(subscriber["User", "1"] == nil)
                }
            }
        }
    }

    @Test func `a name that nobody has bound is told`() async throws {
        let network = try TransportUnderTest(.inMemory)
        try await during(network.subscriber(of: ["nobody"])) { subscriber in
            #expect(
                await eventually {
                    subscriber.status.senders.first?.lastError?.contains("nobody has bound it") == true
                })
        }
        let client = try ControlClient(
            endpoint: "memory://nobody", timeout: .milliseconds(20), transport: network.transport)
        let error = await #expect(throws: ModelcastError.self) { try await client.welcome() }
        #expect(error?.code == .timeout)
    }

    @Test func `endpoints of another transport are refused with what to do`() throws {
        let tcp = #expect(throws: ModelcastError.self) {
            try Publisher(configuration("tcp://127.0.0.1:7400"), logger: silent)
        }
        #expect(tcp?.code == .endpoint && tcp?.message.contains(".zeroMQ") == true)
        let memory = #expect(throws: ModelcastError.self) {
            try Subscriber(SubscriberConfiguration(name: "s", publishers: ["memory://accounts"]), logger: silent)
        }
        #expect(memory?.code == .endpoint && memory?.message.contains(".inMemory(bus)") == true)
    }

    @Test(arguments: ["memory://", "memory://a b", "memory://" + String(repeating: "x", count: 101)])
    func `a name that is none is refused`(text: String) {
        #expect(throws: ModelcastError.self) { try SenderEndpoints(control: text) }
    }

    @Test func `one name cannot be both endpoints`() throws {
        #expect(throws: ModelcastError.self) { try SenderEndpoints(control: "memory://a", stream: "memory://a") }
        #expect(try SenderEndpoints(control: "memory://a").stream == "memory://a-stream")
    }

    @Test func `keys are refused, as nothing leaves the process`() throws {
        var configuration = SubscriberConfiguration(name: "s", publishers: ["memory://accounts"])
        configuration.transport = .inMemory(bus)
        let keys = try Curve.KeyPair()
        configuration.security = Security(keys: keys, server: keys.publicKey)
        let error = #expect(throws: ModelcastError.self) { try Subscriber(configuration, logger: silent) }
        #expect(error?.code == .configuration && error?.message.contains("leave out security") == true)
    }
}
