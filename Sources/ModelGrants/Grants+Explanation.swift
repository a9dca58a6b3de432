extension Grants {
    /// The rights of keys in words: one line for each right, as `modelcast grants explain` prints them.
    /// - Parameters:
    ///   - peer: a key or a name.
    ///   - type: a type; then the lines say what may be done with it alone.
    /// - Returns: nil where no grant has this key or name.
    public func explanation(of peer: String, type: String? = nil) -> [String]? {
        let found = all.filter { $0.key == peer || $0.name == peer }
        guard !found.isEmpty else { return nil }
        // Statements, as the compiler takes five seconds for one expression that says the same.
        var lines: [String] = []
        for grant in found {
            lines.append("\(grant.name) (\(grant.key), line \(grant.line))")
            let rights = type.map { explanation(of: grant.rights, type: $0) } ?? explanation(of: grant.rights)
            lines += rights.map { "  " + $0 }
            if !grant.limits.isEmpty { lines.append("  at most \(grant.limits.words.joined(separator: " "))") }
        }
        return lines
    }

    private func explanation(of rights: Rights) -> [String] {
        var lines: [String] = []
        if rights.isOperator {
            lines.append("may read everything, and ask for the state of processes")
        } else if !rights.readable.isEmpty {
            lines.append("may read \(rights.readable.listed)")
        }
        lines += rights.publications.map { publication in
            "may write \(publication.types.listed) as \(publication.origins.listed)"
                + signatures(of: signedTypes(in: publication), publication)
        }
        if rights.isRelay { lines.append("may hand on what other origins wrote") }
        if rights.isRelay || rights.isOperator {
            lines.append("may tell a publisher of later writes of its own, so that it starts anew")
        }
        return lines.isEmpty ? ["may connect, and nothing else"] : lines
    }

    private func explanation(of rights: Rights, type: String) -> [String] {
        var lines = [
            rights.mayRead(type) ? "may read \(type)" : "may not read \(type): it looks as if there were none"
        ]
        let isSigned = requiresSignature(of: type)
        let written = rights.publications.filter { $0.has(type: type) }
        lines += written.map { publication in
            // Rules for all types of a publication are said of this one alone.
            let one = Publication(
                types: [NamePattern(type)].compactMap { $0 }, origins: publication.origins,
                signingKeys: publication.signingKeys)
            return "may write \(type) as \(one.origins.listed)" + (isSigned ? signatures(of: one.types, one) : "")
        }
        if written.isEmpty { lines.append("may not write \(type)") }
        if rights.isRelay { lines.append("may hand on what other origins wrote of \(type)") }
        if !signedTypes.isEmpty { lines.append("\(type) \(isSigned ? "has to" : "need not") be signed") }
        return lines
    }

    /// The keys that sign these types of a publication, as the end of its line.
    private func signatures(of types: [NamePattern], _ publication: Publication) -> String {
        var groups: [(types: [NamePattern], keys: [String])] = []
        for type in types {
            let keys = signingKeys(of: type, in: publication)
            if let index = groups.firstIndex(where: { $0.keys == keys }) {
                groups[index].types.append(type)
            } else {
                groups.append(([type], keys))
            }
        }
        return groups.map { types, keys in
            if keys.isEmpty { return ", but batches of \(types.listed) count only signed: sign=KEY is missing" }
            let what = types == publication.types ? "" : "\(types.listed) "
            return ", \(what)signed with \(keys.joined(separator: " or "))"
        }.joined()
    }
}

extension [NamePattern] {
    fileprivate var listed: String { contains(.all) ? "everything" : map(\.description).joined(separator: ", ") }
}
