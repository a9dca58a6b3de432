/// Ids of a command line that stand side by side, handed to the parser of the command line as one argument.
///
/// The parser takes a time that grows with the square of the number of arguments: half a minute for 20,000 ids. So ids
/// are joined before it sees them, and cut again where they are used. NUL stands between them, which no argument of a
/// process can contain.
enum JoinedIDs {
    /// How many arguments of each row are left alone, because they may be no ids: the subcommand, or the value of the
    /// option before them; and the type of the models.
    private static let leadCount = 2

    /// The arguments of `modelcast get` with the ids in them joined; those of any other subcommand as they are.
    /// - Parameter arguments: those of the process, without its name.
    static func joining(in arguments: [String]) -> [String] {
        guard arguments.first == "get" else { return arguments }
        var result: [String] = []
        var rest = arguments[...]
        var isBehindTerminator = false
        while !rest.isEmpty {
            // Behind "--" no argument is an option, however it begins.
            let row = isBehindTerminator ? rest : rest.prefix { !$0.hasPrefix("-") }
            let ids = row.dropFirst(leadCount)
            result += row.prefix(leadCount)
            if !ids.isEmpty { result.append(ids.joined(separator: "\0")) }
            rest = rest.dropFirst(row.count)
            guard let option = rest.popFirst() else { break }
            result.append(option)
            isBehindTerminator = option == "--"
        }
        return result
    }

    /// The single ids of arguments that ``joining(in:)`` has made.
    static func cut(_ arguments: [String]) -> [String] {
        arguments.flatMap { argument in
            argument.utf8.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
