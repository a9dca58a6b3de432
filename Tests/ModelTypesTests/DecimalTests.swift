import Foundation
import ModelRecord
import ModelTypes
import TestSupport
import Testing

/// Decimal numbers as the values of fields.
@Suite struct `Decimal numbers` {
    private func fault(_ value: Value) -> String? {
        guard case .failure(let fault) = outcome({ () throws(FieldFault) in try Decimal(value) }) else { return nil }
        return "\(fault.code.rawValue): \(fault.wanted)"
    }

    @Test func `a decimal number travels as its text, and comes back exactly`() {
        forEachSeed(2_000) { _, generator in
            let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            let exponent = Int.random(in: -60...60, using: &generator)
            let sign = Bool.random(using: &generator) ? "-" : ""
            let text = "\(sign)\(digits.joined())e\(exponent)"
            let decimal = try Decimal(Value.text(text))
            guard decimal == Decimal(string: text) else { throw CaseFailure("\(text) is \(decimal)") }
            let written = try decimal.encoded()
            guard try Decimal(written) == decimal else { throw CaseFailure("\(text) comes back as \(written)") }
        }
    }

    @Test func `a number is read as the decimal number that people see`() throws {
        #expect(try Decimal(Value.int(.min)) == Decimal(Int64.min))
        #expect(try Decimal(Value.double(0.1)).encoded() == "0.1")
        #expect(try Decimal(Value.double(1e21)) == Decimal(string: "1e21"))
        #expect(try Decimal(Value.text("12.30")).encoded() == "12.3")
        #expect(try Decimal(Value.text("-0")).encoded() == "0")
    }

    @Test func `what is no decimal number, or has more digits than one, is a fault and never rounded`() {
        for text in ["", "1,5", "12abc", " 1", "0x10", "NaN", "1.", ".5", "--1", "1e"] {
            #expect(fault(.text(text)) == "form: a decimal number", "\(text)")
        }
        for text in [String(repeating: "1", count: 39), "1e200", "1e-200", "1.\(String(repeating: "0", count: 37))1"] {
            #expect(fault(.text(text))?.hasPrefix("range: ") == true, "\(text)")
        }
        #expect(fault(.double(.infinity)) == "form: a decimal number")
        #expect(fault(.double(1e300))?.hasPrefix("range: ") == true)
        #expect(fault(.bool(true)) == "kind: a decimal number")
        #expect(fault(.null) == "null: a decimal number")
        #expect(throws: FieldFault.self) { try Decimal.nan.encoded() }
    }
}
