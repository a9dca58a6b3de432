extension Grants {
    /// The rights of keys in words: one line for each right, as `modelcast grants explain` prints them.
    /// - Parameters:
    ///   - peer: a key or a name.
    ///   - type: a type; then the lines say what may be done with it alone.
    /// - Returns: nil where no grant has this key or name.
    public func explanation(of peer: String, type: String? = nil) -> [String]? {
        let found = all.filter { $0.key == peer || $0.name == peer }
        guard !found.isEmpty else { return nil }
        return found.flatMap { grant in
            ["\(grant.name) (\(grant.key), line \(grant.line))"]
                + (type.map(grant.rights.explanation(of:)) ?? grant.rights.explanation).map { "  " + $0 }
                + (grant.limits.isEmpty ? [] : ["  at most \(grant.limits.words.joined(separator: " "))"])
        }
    }
}

extension Rights {
    fileprivate var explanation: [String] {
        var lines: [String] = []
        if isOperator {
            lines.append("may read everything, and ask for the state of processes")
        } else if !readable.isEmpty {
            lines.append("may read \(readable.listed)")
        }
        lines += publications.map { "may write \($0.types.listed) as \($0.origins.listed)" }
        if isRelay { lines.append("may hand on what other origins wrote") }
        return lines.isEmpty ? ["may connect, and nothing else"] : lines
    }

    fileprivate func explanation(of type: String) -> [String] {
        var lines = [mayRead(type) ? "may read \(type)" : "may not read \(type): it looks as if there were none"]
        let written = publications.filter { $0.has(type: type) }
        lines += written.map { "may write \(type) as \($0.origins.listed)" }
        if written.isEmpty { lines.append("may not write \(type)") }
        if isRelay { lines.append("may hand on what other origins wrote of \(type)") }
        return lines
    }
}

extension [NamePattern] {
    fileprivate var listed: String { contains(.all) ? "everything" : map(\.description).joined(separator: ", ") }
}
