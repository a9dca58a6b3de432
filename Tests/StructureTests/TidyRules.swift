/// What the files look like, each rule as a function from a file to its complaints, so that a test can break it.
enum TidyRules {
    static let lineLimit = 500
    static let columnLimit = 120
    /// Targets of so many files need no folders.
    static let looseFileTargetLimit = 20
    /// How many files of a larger target may stand outside of its folders.
    static let looseFileLimit = 8

    /// Targets whose work is raw bytes, libzmq's C or system calls.
    static let unsafeTargets: Set = [
        "ZeroMQ", "ModelCBOR", "ModelRecord", "ModelWire", "ModelCache", "ModelcastBench", "ModelcastCommand",
    ]
    /// Single files elsewhere that may say `unsafe`, each with its reason.
    static let unsafeFiles: Set = [
        // A model is lent where a record keeps it.
        "Sources/ModelTypes/Model/KeptModel.swift",
        // A span is copied into an array: nothing safe does that in one step.
        "Sources/ModelSync/Origin/PairFilter.swift",
        "Sources/ModelSync/Replica/Streams/Replica+Stream.swift",
        // C functions of libsodium and OpenSSL.
        "Sources/ModelSigning/Sodium.swift", "Sources/ModelSigning/SHA256.swift",
        // A span is copied into what is bound to a statement.
        "Sources/ModelStore/File/Data+Span.swift",
        // SQLite's C functions, for the one query that a million rows pass through.
        "Sources/ModelStore/Store/Rows.swift",
        // Words of the bytes under a checksum; the system's calls on files; one of SQLite's that GRDB has no word for.
        "Sources/ModelStore/File/RowSum.swift", "Sources/ModelStore/File/FilePlace.swift",
        "Sources/ModelStore/File/StoreMark.swift", "Sources/ModelStore/File/KeptLog.swift",
        // The rights of a file that is open, from the system.
        "Sources/Modelcast/Keys/FileRights.swift",
        // The bytes of a message become an array, and back.
        "Sources/Modelcast/Transport/ZeroMQ/Message+Bytes.swift",
        // Sockets of the system, to find out why nobody greets at an endpoint.
        "Sources/Modelcast/Transport/ZeroMQ/EndpointProbe.swift",
        "Sources/Modelcast/Transport/ZeroMQ/UnixAddress.swift",
        // The wall clock is a C call.
        "Sources/Modelcast/Clocks.swift",
    ]

    static func size(of file: SourceFile) -> [String] {
        let count = file.lines.count - (file.lines.last == "" ? 1 : 0)
        var found = count > lineLimit ? ["\(file.path): \(count) lines, the limit is \(lineLimit)"] : []
        for (index, line) in file.lines.enumerated() where line.count > columnLimit {
            found.append("\(file.path):\(index + 1): \(line.count) columns, the limit is \(columnLimit)")
        }
        return found
    }

    /// A target of many files has a folder for each of its topics; a few files of all topics stand beside these.
    static func folders(of files: [SourceFile]) -> [String] {
        Dictionary(grouping: files, by: \.target).sorted { $0.key < $1.key }.compactMap { target, files in
            let loose = files.count { $0.path.split(separator: "/").count == 3 }
            guard files.count > looseFileTargetLimit, loose > looseFileLimit else { return nil }
            return "\(target): \(loose) of \(files.count) files are in no folder, the limit is \(looseFileLimit)"
        }
    }

    static func name(of file: SourceFile) -> [String] {
        let vague = ["Utils", "Util", "Utilities", "Helpers", "Helper", "Manager", "Misc"]
        return vague.filter { file.name.hasWord($0) }
            .map { "\(file.path): a file is a type or a topic of it, not \($0)" }
    }

    /// A public type stands in the file of its name, or in one of a topic of it (`Type+Topic.swift`), so that it is
    /// found without a search.
    static func strangers(in file: SourceFile) -> [String] {
        let name = file.name.prefix { $0 != "+" && $0 != "." }
        let declaration =
            /^(?:@\w+(?:\([^)]*\))? )*(?:public|package) (?:(?!import)\w+ )*(?:struct|class|enum|actor|protocol) (\w+)/
        return file.code.compactMap { $0.firstMatch(of: declaration)?.output.1 }.filter { $0 != name }
            .map { "\(file.path): \($0) belongs into \($0).swift" }
    }

    /// Marks of unfinished or careless work, in code and in comments.
    static func leftovers(in file: SourceFile) -> [String] {
        let notes = file.lines.indices.filter { file.lines[$0].contains(/\b(?:TODO|FIXME|XXX)\b/) }
            .map { "\(file.path):\($0 + 1): unfinished" }
        return notes + file.places(of: /\btry!/).map { "\($0): try!" }
            + file.places(of: /\bfatalError\(/).map { "\($0): fatalError; a bug is a precondition with a message" }
    }

    /// A relay asks the replica inside it, and touches none of its state: the replica's own files keep that consistent.
    /// - Parameter replica: the file that declares that state.
    static func handsInReplica(in file: SourceFile, of replica: SourceFile) -> [String] {
        guard file.path.hasPrefix("Sources/ModelSync/Relay/") else { return [] }
        let state = Set(
            replica.code.compactMap { $0.firstMatch(of: /^ {4}(?:let|var) (\w+)/).map { String($0.output.1) } })
        return file.code.indices.filter { index in
            file.code[index].matches(of: /\breplica\.(\w+)/).contains { state.contains(String($0.output.1)) }
        }
        .map { "\(file.path):\($0 + 1): state of a replica; ask it by Replica+Relaying" }
    }

    /// The services see a transport, and libzmq's sockets stand behind it. What is of threads and bytes alone
    /// (`Poller`, `Waker`, `HeldMessage`) and the keys of a configuration are for all.
    static func socketsOutOfPlace(in file: SourceFile) -> [String] {
        guard file.target == "Modelcast", !file.path.hasPrefix("Sources/Modelcast/Transport/ZeroMQ/") else { return [] }
        return file.places(of: /\b(?:Socket|SharedSocket|Monitor|ZAPHandler)\b|\b(?:Context|Message)\(/)
            .map { "\($0): a socket of libzmq outside of Transport/ZeroMQ" }
    }

    /// Targets whose threads the thread sanitizer watches.
    private static let watchedTargets: Set = ["ModelCache", "ModelSync", "ModelStore", "Modelcast"]

    /// A lock that the thread sanitizer does not understand lets it report a race where there is none.
    static func bareLocks(in file: SourceFile) -> [String] {
        guard watchedTargets.contains(file.target), file.name != "Guarded.swift" else { return [] }
        return file.places(of: /\bMutex[<(]/).map { "\($0): a Mutex; Guarded tells the thread sanitizer of its order" }
    }

    /// A promise that the compiler cannot check has its proof on the line above (attributes may stand between).
    static func unprovenPromises(in file: SourceFile) -> [String] {
        let promise = /@unchecked\s+Sendable|nonisolated\(unsafe\)/
        return file.code.indices.filter { file.code[$0].contains(promise) }.compactMap { index in
            let above = file.lines[..<index].reversed().map { $0.drop(while: \.isWhitespace) }
                .first { !$0.starts(with: "@") }
            return above?.starts(with: "//") == true ? nil : "\(file.path):\(index + 1): no comment says why this holds"
        }
    }

    /// `unsafe` as a keyword: not the attribute, and not the argument of another one.
    static func unsafeOutOfPlace(in file: SourceFile) -> [String] {
        guard !unsafeTargets.contains(file.target), !unsafeFiles.contains(file.path) else { return [] }
        return unsafePlaces(in: file).map { "\($0): unsafe outside the targets for it" }
    }

    static func unsafePlaces(in file: SourceFile) -> [String] {
        file.places(of: /(?:^|[^@\w.])unsafe\s+[\w(\[&.]/)
    }

    /// Draws the seed of the hash of names once in a process: it decides where names stand in tables, and nothing that
    /// anybody sees.
    static let seedFile = "Sources/ModelRecord/Hash/SeededHash.swift"

    /// Time and chance reach the pure targets as parameters only.
    static func impurity(in file: SourceFile) -> [String] {
        guard ModuleTable.pure.contains(file.target), file.path != seedFile else { return [] }
        let source = /\b(?:ContinuousClock|SuspendingClock|SystemRandomNumberGenerator|Date\(\)|Task\b|async\b)/
        return file.places(of: source).map { "\($0): a clock, chance or task in a pure target" }
            + file.places(of: /\.random\(in: [^,)]*\)|\.randomElement\(\)|\.shuffled\(\)/)
            .map { "\($0): chance without a generator handed in" }
    }

    /// The public functions and properties that a user of the library awaits.
    static func waits(in file: SourceFile) -> [String] {
        guard ["Modelcast", "ModelViews", "ModelCache", "ModelcastTesting", "ModelcastConsole"].contains(file.target)
        else { return [] }
        let code = file.code.joined(separator: "\n")
        return code.matches(of: /public (?:\w+ )*func (\w+)[^{}]*\basync\b/).map { String($0.output.1) }
            + code.matches(of: /public (?:\w+ )*var (\w+): [^{}\n]*\{ get async\b/).map { String($0.output.1) }
    }

    /// Tests wait on a condition, never for a time. Only between two looks at the condition there is a pause.
    static func sleeps(in file: SourceFile) -> [String] {
        // The second is no test: a service that an article shows, which bounds a wait.
        let others = ["Tests/TestSupport/Eventually.swift", "Tests/ClientTests/Shop.swift"]
        guard !others.contains(file.path) else { return [] }
        return file.places(of: /\b(?:Task|Thread)\s*\.\s*sleep\b|\b(?:usleep|nanosleep|sleep)\(/)
            .map { "\($0): a sleep; wait on a condition" }
    }
}

extension Substring {
    /// The word stands in the name on its own or as a part in upper camel case: `Helper` in `TestHelper+A`.
    fileprivate func hasWord(_ word: String) -> Bool {
        ranges(of: word).contains { range in
            range.upperBound == endIndex || !self[range.upperBound].isLowercase
        }
    }
}
