import Foundation
import TestSupport
import Testing

@testable import Modelcast

/// Publishers with a store that push, and relays that do not hold what an earlier run has published.
@Suite(.timeLimit(.minutes(15))) struct PushStoreTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func control(_ relay: String) -> String { "ipc://\(folder.path(relay))" }

    private func makeRelay(_ name: String = "r", hasStore: Bool = false) throws -> Relay {
        var configuration = RelayConfiguration(
            name: name, endpoints: try SenderEndpoints(control: control(name)), publishers: [])
        configuration.heartbeatInterval = .milliseconds(50)
        if hasStore { configuration.store = folder.path("\(name).store") }
        return try Relay(configuration, logger: silent)
    }

    private func makeJob(
        to relays: [String] = ["r"], _ acknowledgement: PusherConfiguration.Acknowledgement = .any,
        store: String = "job.store", durability: Durability = .none
    ) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "job", pushingTo: relays.map(control), acknowledgement: acknowledgement)
        configuration.store = folder.path(store)
        configuration.storeWriting = .quick
        configuration.durability = durability
        return try Publisher(configuration, logger: silent)
    }

    /// A run that nobody hears.
    private func publishUnheard(_ durability: Durability = .none) async throws {
        try await during(makeJob(durability: durability)) { job in
            for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
            for id in 0..<10 { try job.delete("User", "\(id)") }
            try await job.waitUntilDurable()
        }
    }

    @Test(arguments: Durability.allCases)
    func `what an earlier run has published to nobody is acknowledged only when the relay has it`(
        durability: Durability
    ) async throws {
        try await publishUnheard(durability)
        try await during(makeJob(durability: durability)) { job in
            #expect(await eventually { job.pushProgress?.relays.first != nil })
            #expect(job.pushProgress?.isAcknowledged == false)
            // What is written meanwhile is not confused with it.
            try job.merge("User", "50", ["n": 2])
            try await during(makeRelay()) { relay in
                try await job.waitUntilAcknowledged()
                #expect(relay.cache.digest(of: "User") == job.cache.digest(of: "User"))
                #expect(relay.cache.count(of: "User") == 90)
                #expect(relay.cache.record(type: "User", id: "5", includingTombstones: true)?.exists == false)
                #expect(job.pushProgress?.relays.first?.isCompared == true)
            }
        }
    }

    @Test func `whoever waits for a publisher that cannot run is told so`() async throws {
        var configuration = PublisherConfiguration(name: "job", pushingTo: [control("r")])
        configuration.endpoints = try SenderEndpoints(control: "ipc://\(folder.path("none"))/control")
        let job = try Publisher(configuration, logger: silent)
        try job.merge("User", "1", ["n": 1])
        let waiting = Task { try await job.waitUntilAcknowledged() }
        await #expect(throws: ModelcastError.self) { try await job.run() }
        await #expect(throws: ModelcastError.self) { try await waiting.value }
        await #expect(throws: ModelcastError.self) { try await job.waitUntilAcknowledged() }
    }

    @Test func `a relay without a store that is started again is given all once more, or the job fails`() async throws {
        try await during(makeRelay()) { _ in
            try await during(makeJob()) { job in
                for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
            }
        }
        try await during(makeJob()) { job in
            try await during(makeRelay()) { relay in
                try await job.waitUntilAcknowledged()
                #expect(relay.cache.digest(of: "User") == job.cache.digest(of: "User"))
            }
            // It has acknowledged batches of this very run, which are not kept, and has lost them.
            #expect(await eventually { job.pushProgress?.isAcknowledged == false })
            try await during(makeRelay()) { _ in
                let error = await #expect(throws: ModelcastError.self) { try await job.waitUntilAcknowledged() }
                #expect(error?.description.contains("run the job again") == true)
            }
        }
        try await during(makeRelay()) { relay in
            try await during(makeJob()) { job in try await job.waitUntilAcknowledged() }
            try await during(makeJob()) { job in
                try await job.waitUntilAcknowledged()
                #expect(job.pushProgress?.relays.first?.acknowledged == 0)
                #expect(relay.cache.digest(of: "User") == job.cache.digest(of: "User"))
            }
        }
    }

    @Test func `with every, both relays hold what an earlier run has pushed to one`() async throws {
        try await during(makeRelay("a", hasStore: true)) { first in
            try await during(makeJob(to: ["a"])) { job in
                for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
            }
            try await during(makeJob(to: ["a", "b"], .every)) { job in
                #expect(await eventually { job.pushProgress?.relays.first?.isCompared == true })
                #expect(job.pushProgress?.isAcknowledged == false)
                try await during(makeRelay("b")) { second in
                    try await job.waitUntilAcknowledged()
                    #expect(first.cache.digest(of: "User") == job.cache.digest(of: "User"))
                    #expect(second.cache.digest(of: "User") == job.cache.digest(of: "User"))
                }
            }
        }
    }

    @Test func `what was taken back from one relay is pushed to another`() async throws {
        try await during(makeRelay("a")) { _ in
            try await during(makeJob(to: ["a"], store: "first.store")) { job in
                for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
            }
            try await during(makeRelay("b")) { other in
                let job = try makeJob(to: ["b"])
                try await during(job) { job in
                    #expect(try await job.recover(from: [control("a")]) == 100)
                    try await job.waitUntilAcknowledged()
                    #expect(other.cache.digest(of: "User") == job.cache.digest(of: "User"))
                }
            }
        }
    }
}
