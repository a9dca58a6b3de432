import SwiftParser

/// Names of properties, cases and labels, which may stand in backticks.
extension String {
    /// Without backticks.
    var plainName: String { filter { $0 != "`" } }

    /// As it is written behind a dot.
    var memberName: String { plainName.isValidSwiftIdentifier(for: .memberAccess) ? plainName : "`\(plainName)`" }

    /// As a variable.
    var variableName: String { plainName.isValidSwiftIdentifier(for: .variableName) ? plainName : "`\(plainName)`" }

    /// As the label of an argument, where backticks that are not needed are a warning.
    var label: String {
        let takesBackticks = ["init", "self", "Self", "Type", "Protocol"].contains(plainName)
        return plainName == "inout" ? "`inout`" : takesBackticks ? plainName : memberName
    }
}
