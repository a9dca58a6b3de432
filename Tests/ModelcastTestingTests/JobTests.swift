import ModelCache
import ModelRecord
import ModelSync
import ModelcastTesting
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
