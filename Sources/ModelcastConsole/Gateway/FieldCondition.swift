import Foundation
import HTTPTypes
import ModelRecord

/// A condition on a field of a model, such as `age>=30` or `city=London`.
///
/// Numbers are compared as numbers, texts bytewise. A field that is not there, or of another kind, meets no condition
/// but `!=`. `null` stands for one that is null or not there, with `=` and `!=`.
struct FieldCondition: Hashable {
    private enum Comparison: String, CaseIterable {
        // The longer ones first: each is looked for in this order.
        case notEqual = "!="
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case more = ">"
        case less = "<"
    }

    private let field: String
    private let comparison: Comparison
    /// The text behind the comparison.
    private let text: String
    /// The same as a number, where it is one.
    private let number: Double?
    private let integer: Int64?
    private let isNull: Bool

    /// - Throws: ``Problem`` for what is no condition.
    init(_ condition: String) throws(Problem) {
        let start = condition.firstIndex { "!=<>".contains($0) }
        guard let start, start > condition.startIndex,
            let comparison = Comparison.allCases.first(where: { condition[start...].hasPrefix($0.rawValue) })
        else {
            throw Problem(
                .badRequest,
                "\(Problem.quoted(condition)) is no condition: give FIELD=VALUE, or !=, <, <=, >, >= between them")
        }
        field = String(condition[..<start])
        self.comparison = comparison
        let text = String(condition[start...].dropFirst(comparison.rawValue.count))
        guard !text.hasPrefix("="), !text.hasPrefix("<"), !text.hasPrefix(">"), !text.hasPrefix("!") else {
            throw Problem(
                .badRequest, "\(Problem.quoted(condition)) has no such comparison: =, !=, <, <=, > and >= are")
        }
        self.text = text
        let isNumber = text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
        number = isNumber ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        integer = isNumber ? Int64(text) : nil
        isNull = text == "null" && (comparison == .equal || comparison == .notEqual)
    }

    /// The model exists and meets the condition.
    func isMet(by record: CellRecord?) -> Bool {
        guard let record, record.isPresent else { return false }
        if isNull {
            let hasNone = record[field].map { $0 == .null || $0 == .undefined } ?? true
            return hasNone == (comparison == .equal)
        }
        guard let value = record[field], let order = order(of: value) else { return comparison == .notEqual }
        return switch comparison {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .atMost: order <= 0
        case .more: order > 0
        case .atLeast: order >= 0
        }
    }

    /// Negative where the value is less than that of the condition, 0 where both are equal; nil where they cannot be
    /// compared.
    private func order(of value: Value) -> Int? {
        switch value {
        case .bool(let value): return text == "\(value)" ? 0 : text == "\(!value)" ? (value ? 1 : -1) : nil
        case .int(let value):
            if let integer { return sign(value < integer, value == integer) }
            return number.map { FieldCondition.order(of: value, $0) }
        case .double(let value), .timestamp(let value): return number.map { sign(value < $0, value == $0) }
        case .text(let value), .uri(let value):
            return sign(value.utf8.lexicographicallyPrecedes(text.utf8), value.utf8.elementsEqual(text.utf8))
        case .uuid(let value): return value.uuidString.lowercased() == text.lowercased() ? 0 : nil
        default: return nil
        }
    }

    /// As the two numbers are, not as the integer would be once it is rounded to a double.
    private static func order(of integer: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double.rounded(.down))
        return integer < whole ? -1 : integer > whole ? 1 : double > Double(whole) ? -1 : 0
    }

    private func sign(_ isLess: Bool, _ isEqual: Bool) -> Int { isLess ? -1 : isEqual ? 0 : 1 }
}
