import ModelCache
import ModelRecord
import ModelSync
import ModelcastSimulation
import Testing

/// Jobs of the simulation, as users drive them.
@Suite struct JobTests {
    @Test func `a job that ends has brought everything to its relay, whatever the network loses`() throws {
        let simulation = Simulation(seed: 3)
        let relay = try simulation.addRelay("relay", listeningTo: [])
        let subscriber = simulation.addSubscriber("shop", listeningTo: [relay])
        let job = try simulation.addJob("import", pushingTo: [relay])
        simulation.conditions.streamLossPerMille = 200
        simulation.conditions.controlResetPerMille = 100
        for index in 0..<20 {
            try simulation.write(at: job, .merge, type: "Price", id: "\(index)", fields: ["cents": 30])
            simulation.run(milliseconds: 20)
        }
        simulation.end(job)
        simulation.run(milliseconds: 20_000)
        #expect(simulation.hasEnded(job))
        #expect(simulation.failure(of: job) == nil)
        try simulation.settle()
        #expect(simulation.cache(of: subscriber)?.count(of: "Price") == 20)
    }

    @Test func `a delete that a relay is told later than others remember it may be undone`() throws {
        var settings = SimulationSettings()
        settings.tombstoneRetention = .seconds(8)
        let simulation = Simulation(seed: 5, settings: settings)
        let first = try simulation.addRelay("relay-0", listeningTo: [])
        let second = try simulation.addRelay("relay-1", listeningTo: [first])
        let subscriber = simulation.addSubscriber("shop", listeningTo: [second])
        let job = try simulation.addJob("import", pushingTo: [first, second], acknowledgement: .every)
        try simulation.write(at: job, .merge, type: "Price", id: "1", fields: ["cents": 30])
        simulation.run(milliseconds: 1_000)
        simulation.cut(job, from: first, milliseconds: 25_000)
        try simulation.write(at: job, .delete, type: "Price", id: "1")
        simulation.run(milliseconds: 1_000)
        #expect(simulation.cache(of: subscriber)?["Price", "1"] == nil)
        // It finds what the second relay has taken back from the first when that has learned of the delete, too.
        simulation.cut(subscriber, from: second, milliseconds: 30_000)
        simulation.run(milliseconds: 13_000)
        // The second relay has forgotten the delete, and takes the first's copy after a short silence.
        simulation.cut(second, from: first, milliseconds: 2_000)
        simulation.run(milliseconds: 8_000)
        #expect(simulation.cache(of: first)?["Price", "1"] != nil)
        #expect(simulation.cache(of: second)?["Price", "1"] != nil)
        simulation.run(milliseconds: 17_000)
        #expect(simulation.cache(of: first)?["Price", "1"] == nil)
        #expect(simulation.failure == nil)
        try simulation.settle()
    }

    @Test func `a job whose relay has lost what it acknowledged gives up, and copies need not have it`() throws {
        let simulation = Simulation(seed: 4)
        let relay = try simulation.addRelay("relay", listeningTo: [])
        simulation.addSubscriber("shop", listeningTo: [relay])
        let job = try simulation.addJob("import", pushingTo: [relay])
        try simulation.write(at: job, .merge, type: "Price", id: "1", fields: ["cents": 30])
        simulation.run(milliseconds: 200)
        simulation.crash(relay)
        simulation.restart(relay)
        try simulation.write(at: job, .merge, type: "Price", id: "2", fields: ["cents": 30])
        simulation.run(milliseconds: 5_000)
        #expect(simulation.failure(of: job)?.contains("lost what it had acknowledged") == true)
        try simulation.settle()
        #expect(simulation.cache(of: relay)?.count(of: "Price") == 0)
    }
}
