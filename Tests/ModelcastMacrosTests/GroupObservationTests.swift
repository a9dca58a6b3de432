import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelViews
import ModelWire
import ModelcastMacros
import Testing

/// Observing fields of groups that the macros have made.
@Suite struct `Observed groups` {
    private let cache = ModelCache()
    private let queue = DispatchQueue(label: "groups")

    /// Merges a model as its publisher would.
    private func write(_ customer: Customer) throws {
        var writer = BatchWriter()
        let stamp = Stamp((cache.snapshot().commitNumber + 1) << 16)
        try writer.append(.merge, stamp: stamp, id: customer.id.idText, fields: customer.fields)
        let frame = writer.finish(origin: "origin", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        cache.commit(decoder.batch(in: frame.span), type: Customer.modelType)
    }

    @Test func `an observer of a field of a group is told when that changes, and of no other`() throws {
        /// How many changes each observer was told.
        let told = Guarded<[String: Int]>([:])
        func count(_ name: String, _ models: Models<Customer>) -> CacheObservation {
            models.observe(on: queue) { changes in
                for change in changes where change.step == .changed { told.withLock { $0[name, default: 0] += 1 } }
            }
        }
        let customers = cache.models(Customer.self)
        let observations = [
            count("city", customers.changes(of: \.address.city)),
            count("latitude", customers.changes(of: \.address.place.latitude)),
            count("address", customers.changes(of: \.address)),
            count("name or city", customers.changes(of: \.name, \.address.city)),
            count("city of address", customers.changes(of: \.address).changes(of: \.name, \.address.city)),
        ]
        let places = [Place(latitude: 1, longitude: 2), Place(latitude: 7, longitude: 2)]
        var address = Address(street: "Main Street", city: "Ely", since: nil, place: places[0])
        var customer = Customer(id: 1, name: "Ada", address: address, origin: places[0])
        try write(customer)
        address.city = "York"
        customer.address = address
        try write(customer)
        address.place = places[1]
        customer.address = address
        try write(customer)
        customer.name = "Grace"
        try write(customer)
        queue.sync {}
        let expected = ["city": 1, "latitude": 1, "address": 2, "name or city": 2, "city of address": 1]
        #expect(told.withLock { $0 } == expected)
        for observation in observations { observation.cancel() }
    }

    @Test func `a change says which fields of a group have changed`() throws {
        let told = Guarded<[[Bool]]>([])
        let observation = cache.models(Customer.self).observe(on: queue) { changes in
            for change in changes where change.step == .changed {
                let paths = [
                    change.changes(\.address.city), change.changes(\.address.street), change.changes(\.address),
                    change.changes(\.contact),
                ]
                told.withLock { $0.append(paths) }
            }
        }
        var address = Address(street: "Main Street", city: "Ely", since: nil)
        var customer = Customer(id: 1, name: "Ada", address: address, origin: Place(latitude: 1, longitude: 2))
        try write(customer)
        address.city = "York"
        customer.address = address
        try write(customer)
        customer.contact = .phone("+1")
        try write(customer)
        queue.sync {}
        #expect(told.withLock { $0 } == [[true, false, true, false], [false, false, false, true]])
        observation.cancel()
    }
}
