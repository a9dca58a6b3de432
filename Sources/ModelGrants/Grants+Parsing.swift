extension Grants {
    /// Reads a text of grants.
    /// - Parameters:
    ///   - text: a grant a line (the article Securing).
    ///   - file: the name of the file, for messages.
    /// - Throws: ``GrantsError`` with every line that cannot be read, and the nearest thing that would be right.
    public init(parsing text: String, file: String = "grants") throws(GrantsError) {
        self.init()
        var problems: [GrantsProblem] = []
        var signing = SigningReview()
        // Only a line feed ends a line, with or without a carriage return. What else may look like one ends no comment.
        for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
            var reader = GrantLineReader(line: index + 1, line)
            let grant = reader.read()
            problems += reader.problems
            warnings += reader.warnings
            guard reader.problems.isEmpty else { continue }
            signedTypes += reader.requirements.map(\.pattern)
            signing.requirements += reader.requirements
            guard let grant else { continue }
            let earlier = add(grant)
            if let earlier { warnings.append(reader.repeated(grant, after: earlier)) }
            if let entry = reader.entry(called: earlier?.name ?? grant.name) { signing.entries.append(entry) }
        }
        guard problems.isEmpty else { throw GrantsError(file: file, problems: problems) }
        warnings += signing.warnings(for: self)
    }
}
