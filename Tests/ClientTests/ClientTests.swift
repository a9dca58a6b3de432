import Foundation
import GRDB
import Modelcast
import ModelcastMacros
import ModelcastTesting
import NIOCore
import Observation
import Testing

@Model private struct Parcel {
    @ID let id: String
    var state: String?
}

/// Modelcast beside what users import.
@Suite struct ClientTests {
    @Test func `no name of Modelcast hides one of another module in a file that imports them all`() async throws {
        let everything = Everything()
        let title = withObservationTracking {
            everything.screen.title
        } onChange: {
        }
        #expect(title == "people")
        everything.operations.addOperation(Announcement("there"))
        await withCheckedContinuation { done in
            everything.operations.addBarrierBlock { done.resume() }
        }
        #expect(everything.buffer.readableBytes == 6)

        let database = try DatabaseQueue()
        let row = PersonRow(Person(id: "1", name: "Ada"))
        try await database.write { database in
            try database.create(table: "person") { table in
                table.primaryKey("id", .text)
                table.column("name", .text)
            }
            try row.insert(database)
        }
        let count = try await database.read { try PersonRow.people.fetchCount($0) }
        #expect(count == 1)
    }

    @Test func `a live model has a property called state`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge(Parcel(id: "1", state: "sent"))
            try await network.settle()
            let parcel = LiveModel(Parcel.self, "1", in: subscriber.cache, on: .main)
            #expect(parcel.state == "sent" && parcel.modelState?.problem == nil)
        }
    }

    @Test func `a user's own types may be called like those that the macros need`() throws {
        let address = OwnNames.Address(city: "London")
        let order = OwnNames.Order(id: "1", number: 7, address: address, payment: .card(number: "42"))
        let data = try JSONEncoder().encode(order)
        #expect(try JSONDecoder().decode(OwnNames.Order.self, from: data) == order)
        #expect(try order.diff(from: order).isEmpty)
        #expect(OwnModel.Order(id: "1").note == nil)
    }
}
