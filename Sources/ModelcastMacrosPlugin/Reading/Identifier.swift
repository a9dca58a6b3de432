import SwiftParser

/// Names of properties, cases and labels, which may stand in backticks.
extension String {
    /// The name without backticks.
    var plainName: String { filter { $0 != "`" } }

    /// The name as it is written behind a dot.
    var memberName: String { plainName.isValidSwiftIdentifier(for: .memberAccess) ? plainName : "`\(plainName)`" }

    /// The name as that of a variable.
    var variableName: String { plainName.isValidSwiftIdentifier(for: .variableName) ? plainName : "`\(plainName)`" }

    /// The name as the label of an argument, where needless backticks are a warning.
    var label: String {
        let takesBackticks = ["init", "self", "Self", "Type", "Protocol"].contains(plainName)
        return plainName == "inout" ? "`inout`" : takesBackticks ? plainName : memberName
    }
}
