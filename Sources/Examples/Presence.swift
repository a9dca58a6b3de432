import Dispatch
import Modelcast
import ModelcastMacros
import ServiceLifecycle

// example: presence-models
/// One device of a user, there as long as its process is.
@Model struct Device {
    static let modelExpiry = Expiry.leased(.seconds(2))
    @ID let id: String
    var user: String
}

/// A user writes a message. It ends by itself, unless it is said again.
@Model struct Typing {
    static let modelExpiry = Expiry.after(.seconds(1))
    @ID let id: String
}
// end example

/// Users who come, write, sign off, or are just gone.
enum Presence: Play {
    static let name = "presence"

    // example: presence-device
    static func beHere(_ user: String, _ stage: Stage) async throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "phone-of-\(user)", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Stage.quiet)
        try await stage.run(publisher) {
            try publisher.merge(Device(id: "phone-of-\(user)", user: user))
            Stage.say(try await publisher.boundEndpoints.control)
            try await publisher.waitUntilApplied(by: 1)
            try publisher.merge(Typing(id: user))
            // Signing off is a delete: it is told at once, and as such.
            try await gracefulShutdown()
            try publisher.delete(Device.self, "phone-of-\(user)")
        }
    }
    // end example

    // example: presence-room
    static func watch(_ devices: [String], _ stage: Stage) async throws {
        let subscriber = try Subscriber(
            SubscriberConfiguration(name: "room", publishers: devices), logger: Stage.quiet)
        let screen = DispatchQueue(label: "screen")
        let people = subscriber.models(Device.self).observe(on: screen) { changes in
            for change in changes {
                switch change.reason {
                case .deleted: Stage.say("\(change.old?.user ?? "?") has signed off")
                case .leaseEnded: Stage.say("\(change.old?.user ?? "?") is away")
                default: if change.old == nil { Stage.say("\(change.new?.user ?? "?") is here") }
                }
            }
        }
        let typing = subscriber.models(Typing.self).observe(on: screen) { changes in
            for change in changes where change.reason == .expired { Stage.say("\(change.id) does not write any more") }
            for change in changes where change.old == nil { Stage.say("\(change.id) writes") }
        }
        try await stage.run(subscriber) {}
        people.cancel()
        typing.cancel()
    }
    // end example

    static func act(_ role: String, _ arguments: [String], _ stage: Stage) async throws {
        switch role {
        case "device": try await beHere(arguments[0], stage)
        default: try await watch(Array(arguments.dropFirst()), stage)
        }
    }

    static func lead(_ stage: Stage) async throws {
        let (ada, bob) = (try stage.start("device", "ada"), try stage.start("device", "bob"))
        let room = try stage.start("room", "room", await ada.line(), await bob.line())
        try await room.says(
            "ada is here", "bob is here", "ada writes", "bob writes", "ada does not write any more",
            "bob does not write any more")
        ada.terminate()
        try await room.says("ada has signed off")
        try await ada.end()
        bob.kill()
        try await room.says("bob is away")
        room.terminate()
        try await room.end()
    }
}
