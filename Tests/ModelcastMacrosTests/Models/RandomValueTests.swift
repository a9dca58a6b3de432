import Foundation
import ModelRecord
import ModelTypes
import ModelcastMacros
import TestSupport
import Testing

/// Models with any values, in JSON and as records.
@Suite struct RandomValueTests {
    /// Fails where a model does not come back as it is.
    /// - Returns: false where the model has no JSON, because that would be read back as another case.
    private func comesBack<M: Model & Codable>(_ model: M) throws -> Bool {
        guard try M(makeRecord(of: model)) == model else { throw CaseFailure("\(model) is another on the wire") }
        let json: Data
        do {
            json = try JSONEncoder().encode(model)
        } catch let EncodingError.invalidValue(_, context) {
            guard context.debugDescription.contains("would be read back as") else { throw CaseFailure("\(context)") }
            return false
        }
        let copy = try JSONDecoder().decode(M.self, from: json)
        guard copy == model else { throw CaseFailure("\(model) became \(copy)") }
        return true
    }

    @Test func `a model with any values comes back equal from JSON and from the wire`() {
        forEachSeed(20_000) { _, generator in
            let isThere = try comesBack(Customer.random(using: &generator))
            guard isThere else { throw CaseFailure("a keyed enum has no JSON") }
        }
    }

    @Test func `a payload and a group that are nil in all parts come back equal from JSON and from the wire`() {
        forEachSeed(2_000) { _, generator in
            let isThere = try comesBack(Wisher.random(using: &generator))
            guard isThere else { throw CaseFailure("an enum that names its case has no JSON") }
        }
    }

    @Test func `a model whose enums name no case comes back equal, or is refused`() {
        var refusedCount = 0
        forEachSeed(20_000) { _, generator in
            if try !comesBack(Drawing.random(using: &generator)) { refusedCount += 1 }
        }
        print("\(refusedCount) drawings would have been read back as others")
    }
}

/// A value, or nil.
private func maybe<T>(_ value: (inout SeededGenerator) -> T, _ generator: inout SeededGenerator) -> T? {
    Bool.random(using: &generator) ? value(&generator) : nil
}

extension String {
    fileprivate static func word(_ generator: inout SeededGenerator) -> String {
        let words = ["nothing", "hidden", "phone", "nobody", "", "a.b", "7"]
        guard Bool.random(using: &generator) else { return .random(lengths: 0...9, using: &generator) }
        return words.randomElement(using: &generator) ?? ""
    }
}

extension Int {
    fileprivate static func number(_ generator: inout SeededGenerator) -> Int {
        .random(in: .min ... .max, using: &generator)
    }
}

extension Place {
    fileprivate static func random(using generator: inout SeededGenerator) -> Place {
        Place(
            latitude: .random(in: -90...90, using: &generator),
            longitude: Double(Int.random(in: -180...180, using: &generator)))
    }
}

extension Address {
    fileprivate static func random(using generator: inout SeededGenerator) -> Address {
        let milliseconds = maybe({ Int.random(in: 0...4_000_000_000_000, using: &$0) }, &generator)
        return Address(
            street: .word(&generator), city: .random(lengths: 1...10, using: &generator), country: .word(&generator),
            note: maybe(String.word, &generator),
            since: milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) },
            place: maybe(Place.random, &generator))
    }
}

extension Contact {
    fileprivate static func random(using generator: inout SeededGenerator) -> Contact {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .phone(.word(&generator))
        case 1: .post(.random(using: &generator))
        case 2: .card(number: .word(&generator), month: .number(&generator))
        default: .nobody
        }
    }
}

extension Customer {
    fileprivate static func random(using generator: inout SeededGenerator) -> Customer {
        Customer(
            id: .number(&generator), name: .word(&generator), address: maybe(Address.random, &generator),
            origin: .random(using: &generator), home: .random(using: &generator),
            contact: maybe(Contact.random, &generator), other: .random(using: &generator))
    }
}

extension Shape {
    fileprivate static func random(using generator: inout SeededGenerator) -> Shape {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            .circle(Circle(radius: .random(in: 0...9, using: &generator), note: maybe(String.word, &generator)))
        case 1: .box(width: .number(&generator), height: .number(&generator))
        case 2: .point
        case 3: .hidden
        default: .named(.word(&generator))
        }
    }
}

extension Answer {
    fileprivate static func random(using generator: inout SeededGenerator) -> Answer {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: .nothing
        case 1: .number(.number(&generator))
        case 2: .words([.word(&generator)])
        case 3: .text(.word(&generator))
        case 4: .place(.random(using: &generator))
        case 5: .shape(.random(using: &generator))
        default: .span(from: .number(&generator), to: .number(&generator))
        }
    }
}

extension Drawing {
    fileprivate static func random(using generator: inout SeededGenerator) -> Drawing {
        Drawing(
            number: .number(&generator), shape: maybe(Shape.random, &generator),
            answer: maybe(Answer.random, &generator), title: maybe(String.word, &generator),
            place: maybe(Place.random, &generator),
            // A record does not tell a group that is nil in all parts from none.
            links: maybe({ Links(home: .word(&$0), blog: nil) }, &generator),
            logo: maybe({ Data(String.word(&$0).utf8) }, &generator))
    }
}

extension Wish {
    fileprivate static func random(using generator: inout SeededGenerator) -> Wish {
        Wish(text: maybe(String.word, &generator), size: maybe(Int.number, &generator))
    }
}

extension Choice {
    fileprivate static func random(using generator: inout SeededGenerator) -> Choice {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .nothing
        case 1: .wish(.random(using: &generator))
        case 2: .both(first: .random(using: &generator), second: .random(using: &generator))
        default: .marked(Marked(wish: maybe(Wish.random, &generator)))
        }
    }
}

extension TaggedChoice {
    fileprivate static func random(using generator: inout SeededGenerator) -> TaggedChoice {
        Bool.random(using: &generator) ? .nothing : .wish(.random(using: &generator))
    }
}

extension Wisher {
    fileprivate static func random(using generator: inout SeededGenerator) -> Wisher {
        Wisher(
            id: "w", wish: .random(using: &generator), choice: maybe(Choice.random, &generator),
            tagged: maybe(TaggedChoice.random, &generator),
            // A record does not tell a group that is nil in all parts from none.
            basket: maybe({ Basket(choice: .random(using: &$0), note: maybe(String.word, &$0)) }, &generator),
            prefs: maybe({ Prefs(theme: .word(&$0), size: maybe(Int.number, &$0)) }, &generator))
    }
}
