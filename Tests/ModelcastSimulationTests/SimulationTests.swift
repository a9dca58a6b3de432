import ModelCache
import ModelRecord
import ModelSync
import ModelcastSimulation
import Testing

/// The simulation as users drive it: nodes, writes and faults of their own.
@Suite struct SimulationTests {
    @Test func `a subscriber equals its publisher over a network that loses every third message`() throws {
        let simulation = Simulation(seed: 7)
        let publisher = try simulation.addPublisher("prices")
        let subscriber = simulation.addSubscriber("shop", listeningTo: [publisher])
        simulation.conditions.streamLossPerMille = 333
        for index in 0..<20 {
            let fields: Fields = ["cents": .int(Int64(index))]
            try simulation.write(at: publisher, .merge, type: "Price", id: "\(index % 3)", fields: fields)
            simulation.run(milliseconds: 20)
        }
        try simulation.settle()
        #expect(simulation.faults[.lost] > 0)
        #expect(simulation.cache(of: subscriber)?["Price", "1"]?["cents"]?.intValue == 19)
        #expect(simulation.differences() == [])
    }

    @Test func `what a relay holds outlives its publisher`() throws {
        let simulation = Simulation(seed: 8)
        let publisher = try simulation.addPublisher("prices")
        let relay = try simulation.addRelay("relay", listeningTo: [publisher])
        try simulation.write(at: publisher, .merge, type: "Price", id: "1", fields: ["cents": 30])
        simulation.run(milliseconds: 800)
        simulation.crash(publisher)
        let subscriber = simulation.addSubscriber("shop", listeningTo: [relay])
        simulation.run(milliseconds: 2_000)
        #expect(simulation.cache(of: publisher) == nil)
        #expect(simulation.cache(of: subscriber)?["Price", "1"]?["cents"]?.intValue == 30)
        try simulation.settle()
    }

    @Test func `who is cut off hears nothing, and catches up when the cut has healed`() throws {
        let simulation = Simulation(seed: 9)
        let publisher = try simulation.addPublisher("prices")
        let subscriber = simulation.addSubscriber("shop", listeningTo: [publisher])
        simulation.run(milliseconds: 500)
        simulation.cut(subscriber, from: publisher, milliseconds: 2_000)
        try simulation.write(at: publisher, .merge, type: "Price", id: "1", fields: ["cents": 30])
        simulation.run(milliseconds: 1_900)
        #expect(simulation.cache(of: subscriber)?["Price", "1"] == nil)
        try simulation.settle()
        #expect(simulation.cache(of: subscriber)?["Price", "1"] != nil)
    }

    @Test func `a story is told only where it is asked for, a line an event`() throws {
        let silent = Simulation(seed: 1)
        try silent.addPublisher("prices")
        silent.run(milliseconds: 10)
        #expect(silent.story.lines.isEmpty)
        let told = Simulation(seed: 1, isTold: true)
        let publisher = try told.addPublisher("prices")
        told.run(milliseconds: 10)
        told.crash(publisher)
        #expect(told.story.lines == ["     0.000 ms  prices       starts", "    10.000 ms  prices       crashes"])
    }

    @Test func `a bad name is refused`() {
        #expect(throws: NameError.self) { try Simulation(seed: 1).addPublisher("a b") }
    }
}
