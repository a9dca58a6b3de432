extension Grants {
    /// Batches of this type count only with a signature of their origin.
    public func requiresSignature(of type: String) -> Bool { signedTypes.contains { $0.matches(type) } }

    /// The public signing keys that prove what this origin writes of this type: those of every publication that has
    /// both, each key once, in the order of ``all``.
    ///
    /// They are the keys whether or not the type has to be signed. Where it has to be and there are none, nothing that
    /// the origin writes of it counts.
    /// - Complexity: a comparison with each publication of each grant. Keep the answer for a topic until the grants are
    ///   replaced.
    public func signingKeys(of type: String, as origin: String) -> [String] {
        signingKeys { $0.has(type: type) && $0.has(origin: origin) }
    }

    /// The types of a publication that have to be signed; of `U*` only `User` where no more is required.
    func signedTypes(in publication: Publication) -> [NamePattern] {
        var found: [NamePattern] = []
        for type in publication.types {
            let signed =
                signedTypes.contains { $0.covers(type) } ? [type] : signedTypes.filter { type.covers($0) }
            for pattern in signed where !found.contains(where: { $0.covers(pattern) }) {
                found.removeAll { pattern.covers($0) }
                found.append(pattern)
            }
        }
        return found
    }

    /// The signing keys that prove this type of a publication whichever of its origins writes it, also those of other
    /// lines; none where one of its origins has none.
    func signingKeys(of type: NamePattern, in publication: Publication) -> [String] {
        var found: [String] = []
        for origin in publication.origins {
            let keys = signingKeys { other in
                other.types.contains { $0.covers(type) } && other.origins.contains { $0.covers(origin) }
            }
            if keys.isEmpty { return [] }
            found += keys.filter { !found.contains($0) }
        }
        return found
    }

    private func signingKeys(where isOurs: (Publication) -> Bool) -> [String] {
        var found: [String] = []
        for grant in all {
            for publication in grant.rights.publications where !publication.signingKeys.isEmpty && isOurs(publication) {
                found += publication.signingKeys.filter { !found.contains($0) }
            }
        }
        return found
    }
}
