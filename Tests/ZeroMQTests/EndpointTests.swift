import Testing
import ZeroMQ

@Suite struct EndpointTests {
    @Test(arguments: [
        "tcp://127.0.0.1:7000", "tcp://*:*", "tcp://db1.example:1", "tcp://[::1]:65535", "ipc:///run/a.sock",
        "ipc://*", "inproc://name",
    ])
    func `a good endpoint reads back as it was written`(text: String) throws {
        #expect(try Endpoint(text).description == text)
    }

    @Test(arguments: [
        "", "localhost:7000", "tcp://", "tcp://host", "tcp://host:", "tcp://host:0", "tcp://host:65536",
        "tcp://host:+1", "tcp://:7000", "tcp://::1:7000", "tcp://[::1]", "udp://host:1", "ipc://",
        "ipc:///" + String(repeating: "x", count: 107), "inproc://a\0b",
    ])
    func `a bad endpoint is refused with a reason`(text: String) {
        let error = #expect(throws: Endpoint.Invalid.self) { try Endpoint(text) }
        #expect(error.map { !$0.description.isEmpty } == true)
    }

    @Test func `only endpoints that nobody can connect to are wildcards`() throws {
        #expect(try Endpoint("tcp://*:7000").isWildcard)
        #expect(try Endpoint("tcp://127.0.0.1:*").isWildcard)
        #expect(try Endpoint("ipc://*").isWildcard)
        #expect(try !Endpoint("tcp://127.0.0.1:7000").isWildcard)
    }
}
