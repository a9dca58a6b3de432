import Foundation
import ModelcastMacros
import Testing

/// What people write beside the macros, and what the macros must not spoil.
@Suite struct `Members and types of one's own` {
    @Test func `an own equality, hash, coding and name on the wire take the place of the generated ones`() throws {
        #expect(Part.modelType == "Spare")
        #expect(Part(id: 1, name: "a", count: 1) == Part(id: 1, name: "a", count: 2))
        #expect(Set([Part(id: 1, name: "a"), Part(id: 1, name: "b")]).count == 2)
        // Code that does not know the type has the same equality.
        #expect([Part(id: 1, name: "a", count: 1)] == [Part(id: 1, name: "a", count: 2)])
        #expect(Set([Part(id: 1, name: "a", count: 1), Part(id: 1, name: "a", count: 2)]).count == 1)
        let read = try JSONDecoder().decode([Part].self, from: Data(#"[{"id": 7, "name": "nut"}]"#.utf8))
        #expect(read.first?.name == "NUT")
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self) == #"["7 NUT"]"#)
    }

    @Test func `values of an enum are equal where case and payloads are`() {
        let home = Address(street: "S", city: "C")
        let values: [Contact] = [
            .phone("1"), .phone("2"), .post(home), .post(Address(street: "S", city: "D")), .card(number: "1"),
            .card(number: "1", month: 2), .nobody,
        ]
        for (place, value) in values.enumerated() {
            for (other, second) in values.enumerated() { #expect((value == second) == (place == other)) }
        }
        #expect(Set(values + values).count == values.count)
        #expect(Contact.post(home) == .post(home) && Contact.post(home).hashValue == Contact.post(home).hashValue)
    }

    @Test func `an own equality of an enum is that of all code`() {
        func areSame<T: Equatable>(_ first: T, _ second: T) -> Bool { first == second }
        #expect(areSame(Signal.bell(1), .bell(2)) && [Signal.bell(1)] == [.bell(2)])
        #expect(Set([Signal.bell(1), .bell(2), .none]).count == 2)
    }

    @Test func `a description in an extension is that of the type`() {
        #expect("\(Seat(id: 1, spot: Spot(row: 2)))" == "seat 1" && "\(Spot(row: 2, note: "a"))" == "row 2")
        #expect("\(Theatre.Box(id: 3))" == "box 3")
    }

    @Test func `a property with a wrapper stands in the description`() {
        let dial = Dial(id: 1, level: 9, step: 1, knob: Dial.Knob(turn: 8, note: "n"))
        #expect(dial.level == 3)
        #expect("\(dial)" == #"Dial(id: 1, level: 3, limit: 4, step: 1, knob: Knob(turn: 3, note: "n"))"#)
    }

    @Test func `nil of an optional property with a default comes back as nil`() throws {
        let dial = Dial(id: 1, limit: nil, step: 1)
        let again = try JSONDecoder().decode(Dial.self, from: try JSONEncoder().encode(dial))
        #expect(again == dial && again.limit == nil)
        #expect(try dial.fields["limit"] == .null)
        let unread = try JSONDecoder().decode(Dial.self, from: Data(#"{"id": 1, "step": 1}"#.utf8))
        #expect(unread.limit == 4 && !unread.knows(\.limit))
    }

    @Test func `a default that was never read, and is not valid, is in nobody's way`() throws {
        let dial = try JSONDecoder().decode(Dial.self, from: Data(#"{"id": 1, "limit": 3}"#.utf8))
        #expect(dial.step == 0)
        #expect(try dial.fields == ["limit": 3])
        _ = try JSONEncoder().encode(dial)
        #expect(throws: FieldProblem.self) { try dial.with { $0.step = 10 }.fields }
    }

    @Test func `a property that is seen less far leaves a public initialiser without it`() throws {
        #expect(Lamp(id: "1", place: "hall") == Lamp(id: "1", place: "hall", glow: .light))
        #expect(Lamp(id: "1", place: "hall", glow: .dark).glow == .dark)
    }

    @Test func `an optional by another name is nil where there is no value`() throws {
        for text in [#"{"id": 1}"#, #"{"id": 1, "number": null, "row": {"number": null}}"#] {
            let guess = try JSONDecoder().decode(Guess.self, from: Data(text.utf8))
            #expect(guess.number == nil && guess.row.number == nil)
            let fields = try guess.fields
            #expect(fields["number"] == .null)
            let again = try JSONDecoder().decode(Guess.self, from: try JSONEncoder().encode(guess))
            #expect(again == guess)
        }
        let known = try JSONDecoder().decode(
            Guess.self, from: Data(#"{"id": 1, "number": 7, "row": {"number": 8}}"#.utf8))
        #expect(known.number == 7 && known.row.number == 8)
        #expect(Guess.Partial(id: 1).problems.isEmpty)
    }

    @Test func `a payload is refused that would be read back as another case`() throws {
        let bank = Payment.bank(Bank(iban: "I", kind: "cash"))
        let refusal = #expect(throws: EncodingError.self) { try JSONEncoder().encode(Bill(id: 1, payment: bank)) }
        #expect("\(try #require(refusal))".contains("kind says which case this is"))
        #expect(throws: FieldProblem.self) { try Bill(id: 1, rows: [Bill.Row(payment: bank)]).fields }
        // As fields of a model of their own the case and the payload have places of their own.
        #expect(try Bill(id: 1, payment: bank).fields["payment.bank.kind"] == "cash")
        #expect(try Bill(id: 1, rows: [Bill.Row(payment: .cash)]).fields["rows"] != nil)
    }
}
