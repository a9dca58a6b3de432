import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import Modelcast

/// A model that is larger than a message, over real sockets.
@Suite(.timeLimit(.minutes(15))) struct LargeModelTests {
    private static let limits = WireLimits(valueByteCount: 700_000)

    private func publisher(_ name: String) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: name, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.limits = LargeModelTests.limits
        return try Publisher(configuration, logger: silent)
    }

    @Test func `two writers' fields of 600 KB in one model reach whoever comes late, by snapshot and by fetch`()
        async throws
    {
        let (left, right) = (try publisher("left"), try publisher("right"))
        try left.merge("Page", "1", ["left": .text(String(repeating: "l", count: 600_000))])
        try right.merge("Page", "1", ["right": .text(String(repeating: "r", count: 600_000))])
        try right.merge("Page", "2", ["right": 1])
        try await during(left) { left in
            try await during(right) { right in
                var configuration = RelayConfiguration(
                    name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
                    publishers: [try await left.boundEndpoints.control, try await right.boundEndpoints.control])
                configuration.limits = LargeModelTests.limits
                let relay = try Relay(configuration, logger: silent)
                try await during(relay) { relay in
                    let endpoints = try await relay.boundEndpoints
                    #expect(await eventually { relay.cache["Page", "1"]?.cellCount == 2 })
                    var configuration = SubscriberConfiguration(name: "late", publishers: [endpoints.control])
                    configuration.limits = LargeModelTests.limits
                    try await during(try Subscriber(configuration, logger: silent)) { late in
                        try await late.waitUntilLive()
                        #expect(late["Page", "1"] == relay.cache["Page", "1"])
                        #expect(late["Page", "2"]?["right"] == 1)
                        let client = try ControlClient(endpoint: endpoints.control)
                        let fetched = try await client.fetch("Page", ["1", "2"])
                        #expect(fetched == [late["Page", "1"], late["Page", "2"]].compactMap(\.self))
                        let copy = try await client.copy()
                        #expect(copy.digest(of: "Page") == late.cache.digest(of: "Page"))
                    }
                }
            }
        }
    }
}
