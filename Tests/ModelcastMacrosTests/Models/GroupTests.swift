import Dispatch
import Foundation
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelViews
import ModelWire
import ModelcastMacros
import Testing

/// Groups of fields that the macros have made, in models.
@Suite struct `Groups in models` {
    private let ely = Place(latitude: 1, longitude: 2)

    private var address: Address {
        Address(street: "Main Street", city: "Ely", since: Date(timeIntervalSince1970: 1), place: ely)
    }

    private func customer(_ address: Address? = nil, _ contact: Contact? = nil) -> Customer {
        Customer(id: 1, name: "Ada", address: address, origin: ely, contact: contact)
    }

    private func read<M: Decodable>(_ json: String, as type: M.Type = M.self) throws -> M {
        try JSONDecoder().decode(M.self, from: Data(json.utf8))
    }

    private func copy<M: Codable>(_ model: M) throws -> M {
        try JSONDecoder().decode(M.self, from: JSONEncoder().encode(model))
    }

    /// A customer with no more than there must be, and these fields.
    private func sparse(_ json: String = "") -> String {
        #"{"id": 1, "name": "Ada", "origin.latitude": 1, "origin.longitude": 2\#(json)}"#
    }

    @Test func `a group has the names of all fields within it`() {
        #expect(
            Address.fieldNames
                == ["street", "town", "country", "note", "since", "place.latitude", "place.longitude"])
        #expect(
            Contact.fieldNames
                == ["", "phone"] + Address.fieldNames.map { "mail.\($0)" } + ["card.number", "card.month"])
    }

    @Test func `groups may be seen in a package or a file alone`() {
        #expect(Step.fieldNames == ["", "jump.height"])
        #expect(Vaults.names == ["secret", "secret.word"])
        #expect(Crowd.fieldNames.count == 50)
    }

    @Test func `each part of a group is a field`() throws {
        let fields = try customer(address, .card(number: "7", month: 2)).fields
        let expected: Fields = [
            "name": "Ada", "address.street": "Main Street", "address.town": "Ely", "address.country": "GB",
            "address.note": .null, "address.since": "1970-01-01T00:00:01Z", "address.place.latitude": .double(1),
            "address.place.longitude": .double(2), "origin.latitude": .double(1), "origin.longitude": .double(2),
            "home.latitude": .double(0), "home.longitude": .double(0), "contact": "card", "contact.card.number": "7",
            "contact.card.month": 2, "way": "nobody",
        ]
        #expect(fields == expected)
    }

    @Test func `no group is null in all of its fields`() throws {
        let fields = try customer().fields
        for name in Address.fieldNames { #expect(fields["address.\(name)"] == .null) }
        #expect(fields["contact"] == .null)
        #expect(fields["contact.mail.place.latitude"] == .null)
        #expect(try copy(customer()).address == nil)
        #expect(try copy(customer()).knows(\.address))
    }

    @Test func `a model with groups comes back from its JSON as it was`() throws {
        for contact in [.phone("+1"), .card(number: "7", month: 2), .nobody, .post(address)] as [Contact] {
            for model in [customer(address, contact), customer(nil, contact), customer(address)] {
                #expect(try copy(model) == model)
            }
        }
    }

    @Test func `the names of fields are keys of JSON as well`() throws {
        let model: Customer = try read(
            sparse(#", "address.street": "a", "address.town": "b", "contact": "phone", "contact.phone": "+1""#))
        #expect(try model.address == read(#"{"address": {"street": "a", "town": "b"}}"#, as: Holder.self).address)
        #expect(model.contact == .phone("+1"))
    }

    // MARK: Parts that were never read

    @Test func `a part that was never read is not written, and null is`() throws {
        let model: Customer = try read(sparse(#", "address": {"street": "a", "town": "b", "note": null}"#))
        let address = try #require(model.address)
        #expect(address.note == nil && address.since == nil && address.country == "GB")
        let written = try model.fields.pairs.filter { $0.field.hasPrefix("address.") }
        #expect(written.map(\.field) == ["address.note", "address.town", "address.street"])
        #expect(written.first?.value == .null)
        #expect("\(address)" == #"Address(street: "a", city: "b", note: nil)"#)
        #expect(address != Address(street: "a", city: "b", since: nil))
        #expect(try copy(model) == model)
    }

    @Test func `a part that is set is known, and the account goes with its group`() throws {
        var model: Customer = try read(sparse(#", "address": {"street": "a", "town": "b"}"#))
        model.address?.note = "n"
        #expect(try model.fields["address.note"] == "n" && model.fields["address.since"] == nil)
        model.address?.note = nil
        #expect(try model.fields["address.note"] == nil)
        model.address?.country = "IE"
        #expect(try model.fields["address.country"] == "IE")
        model.address = Address(street: "a", city: "b", since: nil)
        #expect(try model.fields["address.country"] == "GB" && model.fields["address.note"] == .null)
    }

    @Test func `a difference has the parts that became known, and makes unknown those that became so`() throws {
        let known = customer(Address(street: "a", city: "b", since: nil))
        let unread: Customer = try read(sparse(#", "address": {"street": "a", "town": "c"}"#))
        let parts = ["address.country", "address.note", "address.since"]
        let place = ["address.place.latitude", "address.place.longitude"]
        let forgotten = try unread.diff(from: known)
        #expect(forgotten["address.town"] == "c" && forgotten["address.street"] == nil)
        for part in parts + place { #expect(forgotten[part] == .undefined) }
        let learnt = try known.diff(from: unread)
        #expect(learnt["address.country"] == "GB" && learnt["address.note"] == .null)
        #expect(learnt["address.town"] == "b" && learnt["address.street"] == nil)
        for part in place { #expect(learnt[part] == .null) }
    }

    @Test func `a payload is written whole, as an old value would stay in the place of a part`() throws {
        let model: Customer = try read(
            sparse(#", "address": {"street": "a", "town": "b"}, "contact": {"mail": {"street": "c", "town": "d"}}"#))
        #expect(model.contact == .post(Address(street: "c", city: "d", since: nil)))
        #expect(try model.fields["contact.mail.note"] == .null)
        let moved = try model.with { $0.contact = .post(try #require($0.address)) }
        #expect(try moved.fields["contact.mail.note"] == .null && moved.fields["contact.mail.country"] == "GB")
        #expect(try moved.fields["contact.mail.place.latitude"] == .null)
    }

    @Test func `a Codable that the compiler derives for a group leaves the account out`() throws {
        let box: Crate = try read(#"{"width": 1}"#)
        #expect(try JSONEncoder().encode(box) == Data(#"{"width":1}"#.utf8))
        #expect(try copy(box) == box)
        let named: Crate = try read(#"{"width": 1, "inner-label": "x"}"#)
        #expect(named.label == "x")
    }

    @Test func `defaults stand for what is unknown`() throws {
        let model: Customer = try read(sparse(#", "contact": "card", "contact.card.number": "7""#))
        #expect(model.contact == .card(number: "7", month: 1))
        #expect(model.home == Place(latitude: 0, longitude: 0))
        #expect(model.other == .nobody)
        #expect(model.constants.origin == ely)
    }

    @Test func `a group of which nothing was said is told apart from none`() throws {
        let unknown: Customer = try read(sparse())
        #expect(!unknown.knows(\.address))
        #expect(!unknown.knows(\.contact))
        #expect(try unknown.fields["address.street"] == nil)
        let none: Customer = try read(sparse(#", "address.note": null, "contact": null"#))
        #expect(none.address == nil && none.contact == nil)
        #expect(none.knows(\.address) && none.knows(\.contact))
        #expect(none != unknown)
        #expect(try copy(unknown) == unknown)
    }

    @Test func `a path to a field of a group names it as it is on the wire`() {
        #expect(Customer.field(of: \.address).text == "address")
        #expect(Customer.field(of: \.address.city).text == "address.town")
        #expect(Customer.field(of: \.address.place.latitude).text == "address.place.latitude")
        #expect(Customer.field(of: \.contact).text == "contact" && Customer.field(of: \.other).text == "way")
        #expect(Sinks.field(of: \.first.in).text == "first.in" && Sinks.field(of: \.first.sink).text == "first.sink")
    }

    @Test func `a group that is nil in all parts is null in each field`() throws {
        let site = Site(id: "a", more: Links())
        #expect(try site.fields["links.home"] == .null)
        #expect(try copy(site) == site)
        let other = Site(id: "a", links: Links(home: "x"))
        #expect(try copy(other) == other)
    }

    @Test func `a group with a missing part is a problem, and one within it too`() throws {
        let partial: Customer.Partial = try read(
            sparse(#", "address.town": "b", "home.latitude": "x", "contact": "mail", "contact.mail.street": 7"#))
        #expect(partial.problems.map(\.field) == ["address", "home", "contact"])
        #expect(partial.problems.first?.fault?.code == .incomplete)
        #expect(throws: ModelProblem.self) { try partial.complete() }
        #expect(partial.origin == .value(ely))
    }

    @Test func `a case that is not known is a problem, and no other case`() throws {
        let partial: Customer.Partial = try read(sparse(#", "contact": "fax", "contact.phone": "+1""#))
        let fault = FieldFault(.form, wanted: "phone, mail, card or nobody", value: "fax")
        #expect(partial.contact == .faulty(fault))
        #expect(partial.problems == [FieldProblem("contact", fault)])
        let error = #expect(throws: ModelProblem.self) { try partial.complete() }
        #expect(error?.problems == partial.problems)
        let second: Sinks.Partial = try read(#"{"id": "a", "second": "up"}"#)
        #expect(second.problems.map(\.field) == ["second"])
    }

    @Test func `a part that does not pass its validation is neither read nor published`() throws {
        let long = #""address.street": "a", "address.town": "much too long""#
        #expect(throws: ModelProblem.self) { try read(sparse(", \(long)"), as: Customer.Partial.self).complete() }
        let model = customer(Address(street: "a", city: "much too long", since: nil))
        #expect(throws: FieldProblem.self) { try model.fields }
        #expect(throws: FieldProblem.self) { try model.diff(from: customer()) }
    }

    @Test func `groups may have the names that generated code has`() throws {
        let turns: [Sink.Turn] = [
            .left, .right, .default(sink: "s", in: 1, let: 2), .`init`(true), .sink(Sink.Place(x: 3)),
        ]
        for turn in turns {
            let words = Sink.Words(default: 1, sink: 2)
            let sink = Sink(source: "S", names: words, sink: turn, id: .green, in: 4, tags: ["a", "b"])
            let model = Sinks(id: "x", first: sink, second: turn)
            #expect(try copy(model) == model)
            #expect(try model.fields["first.tags"] == "a,b")
            #expect(try model.fields["first.source"] == "s")
        }
    }
}

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
