import Modelcast
import ModelcastMacros

// example: service-registry-model
@Model struct Endpoint {
    static let modelExpiry = Expiry.leased(.seconds(2))
    @ID let id: String
    var host: String
    var port: Int
}
// end example

/// A registry without a server: each service leases its own entry, and a gateway is told who is there.
enum ServiceRegistry: Play {
    static let name = "service-registry"

    // example: service-registry-service
    static func serve(_ name: String, _ stage: Stage) async throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: name, endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Stage.quiet)
        try await stage.run(publisher) {
            try publisher.merge(Endpoint(id: name, host: "127.0.0.1", port: 8080))
            Stage.say(try await publisher.boundEndpoints.control)
        }
    }
    // end example

    // example: service-registry-gateway
    static func route(_ relay: String, _ stage: Stage) async throws {
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: "gateway", publishers: [relay]), logger: Stage.quiet)
        let routes = subscriber.models(Endpoint.self)
        try await stage.run(subscriber) {
            try await subscriber.waitUntilLive()
            for await changes in routes.stream() {
                for change in changes {
                    switch change.reason {
                    case .leaseEnded: Stage.say("\(change.id) has not been heard of")
                    case .returned: Stage.say("\(change.id) is back")
                    default: if change.old == nil { Stage.say("\(change.id) is new") }
                    }
                }
            }
        }
    }
    // end example

    /// The relay between them: what is cut off with it is, for the gateway, a network that is cut.
    private static func relay(_ services: [String], _ stage: Stage) async throws {
        let relay = try Relay(
            RelayConfiguration(
                name: "relay", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: services),
            logger: Stage.quiet)
        try await stage.run(relay) { Stage.say(try await relay.boundEndpoints.control) }
    }

    static func act(_ role: String, _ arguments: [String], _ stage: Stage) async throws {
        switch role {
        case "service": try await serve(arguments[0], stage)
        case "relay": try await relay(Array(arguments.dropFirst()), stage)
        default: try await route(arguments[1], stage)
        }
    }

    // example: service-registry-lead
    static func lead(_ stage: Stage) async throws {
        let services = try ["billing", "search"].map { try stage.start("service", $0) }
        let endpoints = try await (services[0].line(), services[1].line())
        let relay = try stage.start("relay", "relay", endpoints.0, endpoints.1)
        let gateway = try stage.start("gateway", "gateway", await relay.line())
        try await gateway.says("billing is new", "search is new")

        // A process that hangs is not there, and is again when it goes on.
        services[1].stop()
        try await gateway.says("search has not been heard of")
        services[1].goOn()
        try await gateway.says("search is back")

        // The gateway is cut off for twice the lease: it hears of nobody, and so it ends nothing.
        relay.stop()
        try await Task.sleep(for: .seconds(4))
        relay.goOn()

        // A process that was killed is gone.
        services[0].kill()
        try await gateway.says("billing has not been heard of")
        gateway.terminate()
        try await gateway.end()
    }
    // end example
}
