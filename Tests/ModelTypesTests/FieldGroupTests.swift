import ModelRecord
import ModelTypes
import Testing

/// Values of several fields: as `@Nested` and `@OneOf` write them, by hand.
@Suite struct FieldGroupTests {
    private struct Address: FieldGroup {
        var street: String
        var city: String?

        static let fieldNames = ["street", "city"]

        init(_ street: String, _ city: String?) { (self.street, self.city) = (street, city) }

        init(reading source: inout some FieldSource) throws(FieldProblem) {
            self.init(try source.read("street"), try source.read("city"))
        }

        func write(into sink: inout some FieldSink) throws(FieldProblem) {
            try sink.write("street", street)
            try sink.write("city", city)
        }
    }

    /// A sum type: the field of the group itself says which.
    private enum Contact: FieldGroup {
        case phone(String)
        case post(Address)
        case nobody

        static let fieldNames = ["", "phone"] + Address.fieldNames.map { "post.\($0)" }

        init(reading source: inout some FieldSource) throws(FieldProblem) {
            switch try source.read("", as: String.self) {
            case "phone": self = .phone(try source.read("phone"))
            case "post": self = .post(try source.state("post", as: Address.self).required("post"))
            case "nobody": self = .nobody
            case let other:
                throw FieldProblem("", FieldFault(.form, wanted: "phone, post or nobody", value: .text(other)))
            }
        }

        func write(into sink: inout some FieldSink) throws(FieldProblem) {
            switch self {
            case .phone(let number):
                try sink.write("", "phone")
                try sink.write("phone", number)
            case .post(let address):
                try sink.write("", "post")
                try sink.write("post", address)
            case .nobody: try sink.write("", "nobody")
            }
        }
    }

    private func state<T: FieldGroup>(_ fields: Fields, as type: T.Type = T.self) throws -> FieldState<T> {
        var reader = FieldReader(try makeRecord(fields))
        return reader.state("at", as: type)
    }

    private func fields(_ body: (inout FieldWriter) throws -> Void) rethrows -> Fields {
        var writer = FieldWriter()
        try body(&writer)
        return writer.fields
    }

    @Test func `a group is one field for each of its parts`() throws {
        let address = Address("Main Street", nil)
        let fields = try fields { try $0.write("at", address) }
        #expect(fields == ["at.street": "Main Street", "at.city": nil])
        #expect(try state(fields) == .value(address))
    }

    @Test func `a group is unknown where all is, null where nothing has a value, and faulty where it is none`() throws {
        #expect(try state(["other": 1], as: Address.self) == .unknown)
        #expect(try state(["at.street": nil, "at.city": nil], as: Address.self) == .null)
        #expect(try state(["at.city": nil], as: Address.self) == .null)
        #expect(try state(["at.street": "x"]) == .value(Address("x", nil)))
        let missing = try state(["at.city": "x"], as: Address.self).fault
        #expect(missing?.code == .incomplete && missing?.wanted == "all of at: street is unknown")
        let wrong = try state(["at.street": 7], as: Address.self).fault
        #expect(wrong?.description == "7 is not street: text")
    }

    @Test func `a problem of a part has its whole name, when it is read and when it is written`() throws {
        struct Street: FieldGroup {
            var streetName = ""
            static let fieldNames = ["streetName"]
            init() {}
            init(reading source: inout some FieldSource) throws(FieldProblem) {
                streetName = try source.read("streetName")
            }
            func write(into sink: inout some FieldSink) throws(FieldProblem) {
                try sink.validate("streetName", streetName, by: .length(1...9))
            }
        }
        var reader = FieldReader(try makeRecord(["street.streetName": 7]))
        #expect(reader.state("street", as: Street.self).fault?.wanted == "streetName: text")
        let error = #expect(throws: FieldProblem.self) { try fields { try $0.write("street", Street()) } }
        #expect(error?.field == "street.streetName")
        struct Inner: FieldGroup {
            var number = UInt64.max
            static let fieldNames = ["number"]
            init() {}
            init(reading source: inout some FieldSource) throws(FieldProblem) { number = try source.read("number") }
            func write(into sink: inout some FieldSink) throws(FieldProblem) { try sink.write("number", number) }
        }
        let number = #expect(throws: FieldProblem.self) { try fields { try $0.write("at", Inner()) } }
        #expect(number?.field == "at.number")
    }

    @Test func `no group is null in all fields of one`() throws {
        #expect(try fields { try $0.write("at", Address?.none) } == ["at.street": nil, "at.city": nil])
        #expect(try fields { try $0.write("at", FieldState<Address>.null) } == ["at.street": nil, "at.city": nil])
        #expect(try fields { try $0.write("at", FieldState<Address>.unknown) } == [:])
        #expect(
            fields { $0.writeUnknown("at", as: Address.self) } == ["at.street": .undefined, "at.city": .undefined])
    }

    @Test(arguments: [("+1", nil), (nil, "Main Street"), (nil, nil)] as [(String?, String?)])
    func `a sum type is the name of its case and the fields of that`(phone: String?, street: String?) throws {
        let contact: Contact = phone.map { .phone($0) } ?? street.map { .post(Address($0, "Ely")) } ?? .nobody
        let fields = try fields { try $0.write("at", contact) }
        #expect(try state(fields) == .value(contact))
    }

    @Test func `fields that another case has left do not matter`() throws {
        #expect(try state(["at": "phone", "at.phone": "+1", "at.post.street": "x"]) == .value(Contact.phone("+1")))
        #expect(try state(["at": "nobody", "at.phone": 7]) == .value(Contact.nobody))
        #expect(try state(["at": nil, "at.phone": "+1"], as: Contact.self) == .null)
        #expect(try state(["at.phone": "+1"], as: Contact.self) == .unknown)
    }

    @Test func `a case that is not known is a fault and not another case`() throws {
        let fault = try state(["at": "fax", "at.phone": "+1"], as: Contact.self).fault
        #expect(fault?.description == "\"fax\" is not phone, post or nobody")
        #expect(try state(["at": "post", "at.post.street": 7], as: Contact.self).fault?.value == 7)
    }
}
