import Synchronization

import struct Foundation.NSRange
import class Foundation.NSRegularExpression

/// A validation of a text by a regular expression.
///
/// ```swift
/// @Field(validate: .pattern("^[A-Z]{2}[0-9]+$")) var code: String
/// ```
/// The expression is one of ICU (`NSRegularExpression`), which has what those of JSON Schema have. It matches where any
/// part of the text does: `^` and `$` tie it to the ends. One that repeats a repetition, such as `(a+)+$`, takes time
/// without end for a text that somebody has made for it, so write none for what strangers send.
public struct PatternValidation: FieldValidation {
    private let pattern: String

    /// A validation by `pattern`, which is compiled once in a process.
    /// - Precondition: `pattern` is a regular expression.
    public init(_ pattern: String) { self.pattern = pattern }

    public var wanted: String { "text that matches \(pattern)" }

    public func accepts(_ value: String) -> Bool {
        let whole = NSRange(value.startIndex..., in: value)
        return PatternValidation.expression(pattern).firstMatch(in: value, range: whole) != nil
    }

    /// The expressions of this process: as many as there are in its source.
    private static let expressions = Mutex<[String: NSRegularExpression]>([:])

    private static func expression(_ pattern: String) -> NSRegularExpression {
        expressions.withLock { known in
            if let expression = known[pattern] { return expression }
            guard let expression = try? NSRegularExpression(pattern: pattern) else {
                preconditionFailure("\(pattern) is no regular expression: correct the argument of .pattern")
            }
            known[pattern] = expression
            return expression
        }
    }
}

extension FieldValidation where Self == PatternValidation {
    /// ``PatternValidation``.
    public static func pattern(_ pattern: String) -> Self { Self(pattern) }
}
