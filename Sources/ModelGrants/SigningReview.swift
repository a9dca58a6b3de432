/// The look at a whole file of grants for what signatures would be missed, or looked at in vain.
///
/// A line says what is signed and another one what has to be, so no line shows a mistake alone.
struct SigningReview {
    /// A word that requires signatures.
    struct Requirement {
        let pattern: NamePattern
        let line: Int
        let column: Int
    }

    /// A line that lets its key write.
    struct Entry {
        /// The name of its key.
        let name: String
        let line: Int
        let publication: Publication
        /// The places of the types of the publication.
        let typeColumns: [Int]
        /// The places of its signing keys.
        let signColumns: [Int]
    }

    /// The words that require signatures, in the order of the file.
    var requirements: [Requirement] = []
    /// The lines that let their keys write, in the order of the file.
    var entries: [Entry] = []

    /// The possible mistakes, which are none by their form.
    func warnings(for grants: Grants) -> [GrantsProblem] {
        repeatedRequirements + requirementsOfNothing
            + entries.flatMap { unsigned($0, grants) + inVain($0) + connecting($0, grants) + ofAnyName($0) }
            + sharedKeys + sharedTypes
    }

    /// Types that have to be signed and nobody may write, as a slip makes them.
    private var requirementsOfNothing: [GrantsProblem] {
        let written = entries.flatMap(\.publication.types)
        return requirements.compactMap { requirement in
            if let reason = requirement.pattern.typeFault {
                return GrantsProblem(
                    line: requirement.line, column: requirement.column,
                    message: "\(requirement.pattern) can be no type, so this requires nothing: \(reason)")
            }
            if written.isEmpty { return nil }
            guard !written.contains(where: { $0.overlaps(requirement.pattern) }) else { return nil }
            let text = requirement.pattern.description
            let near = written.map(\.description).first { GrantSpelling.distance($0, text) <= min(2, text.count / 2) }
            return GrantsProblem(
                line: requirement.line, column: requirement.column,
                message: "nobody may publish \(text), so this requires nothing"
                    + (near.map { ": should it be \(GrantSpelling.requirement)\($0)?" } ?? ""))
        }
    }

    /// Signing keys that are keys with which somebody connects.
    private func connecting(_ entry: Entry, _ grants: Grants) -> [GrantsProblem] {
        zip(entry.publication.signingKeys, entry.signColumns).compactMap { key, column in
            guard let owner = grants.all.first(where: { $0.key == key }) else { return nil }
            return GrantsProblem(
                line: entry.line, column: column,
                message: "this is the key with which \(owner.name) connects, and a signing key is another: make one "
                    + "with modelcast keygen --signing")
        }
    }

    /// Types that have to be signed by more than one word.
    private var repeatedRequirements: [GrantsProblem] {
        requirements.enumerated().compactMap { index, requirement in
            let other = requirements.enumerated().first { other, wider in
                other != index && wider.pattern.covers(requirement.pattern)
                    && (other < index || !requirement.pattern.covers(wider.pattern))
            }
            guard let other = other?.element else { return nil }
            let place = other.line == requirement.line ? "" : " in line \(other.line)"
            return GrantsProblem(
                line: requirement.line, column: requirement.column,
                message: "\(GrantSpelling.requirement)\(requirement.pattern) adds nothing to \(other.pattern)\(place)")
        }
    }

    /// Types that have to be signed and are written without a key that proves them.
    private func unsigned(_ entry: Entry, _ grants: Grants) -> [GrantsProblem] {
        let types = grants.signedTypes(in: entry.publication).filter {
            grants.signingKeys(of: $0, in: entry.publication).isEmpty
        }
        guard let first = types.first else { return [] }
        let index = entry.publication.types.firstIndex { $0.covers(first) } ?? 0
        return [
            GrantsProblem(
                line: entry.line, column: entry.typeColumns[index],
                message: "\(entry.name) may publish \(types.map(\.description).joined(separator: " and ")), which "
                    + "\(types.count == 1 ? "has" : "have") to be signed: add sign=KEY; without it its batches are "
                    + "dropped, and what it writes comes late, by copies that prove nothing")
        ]
    }

    /// Signing keys of types that need not be signed.
    private func inVain(_ entry: Entry) -> [GrantsProblem] {
        let types = entry.publication.types
        guard let column = entry.signColumns.first,
            !types.contains(where: { type in requirements.contains { $0.pattern.overlaps(type) } })
        else { return [] }
        return [
            GrantsProblem(
                line: entry.line, column: column,
                message:
                    "no require-signature: line has \(types.map(\.description).joined(separator: " or ")), so these "
                    + "signatures are not looked at")
        ]
    }

    /// Signing keys whose owner may have any name.
    private func ofAnyName(_ entry: Entry) -> [GrantsProblem] {
        guard let column = entry.signColumns.first, entry.publication.origins.contains(.all) else { return [] }
        return [
            GrantsProblem(
                line: entry.line, column: column,
                message: "\(entry.name) may sign as every origin, and so prove later starts of all of them: name its "
                    + "own, origin=NAME")
        ]
    }

    /// Types that two origins may sign: no copy of them can be compared with what either signs.
    private var sharedTypes: [GrantsProblem] {
        let signing = entries.filter { !$0.signColumns.isEmpty }.prefix(SigningReview.comparedCountMax)
        return signing.enumerated().compactMap { index, entry in
            for (type, column) in zip(entry.publication.types, entry.typeColumns) {
                guard requirements.contains(where: { $0.pattern.overlaps(type) }) else { continue }
                let other = signing.prefix(index).first { other in
                    other.publication.types.contains { $0.overlaps(type) }
                        && other.publication.origins.contains { $0 != entry.publication.origins.first }
                }
                guard let other else { continue }
                return GrantsProblem(
                    line: entry.line, column: column,
                    message: "\(other.name) in line \(other.line) may sign \(type), too: copies of what both have "
                        + "written are not compared with what they sign")
            }
            return nil
        }
    }

    /// How many lines are compared with each other.
    private static let comparedCountMax = 500

    /// Signing keys of two names.
    private var sharedKeys: [GrantsProblem] {
        var owners: [String: Entry] = [:]
        var found: [GrantsProblem] = []
        for entry in entries {
            for (key, column) in zip(entry.publication.signingKeys, entry.signColumns) {
                guard let owner = owners[key] else {
                    owners[key] = entry
                    continue
                }
                guard owner.name != entry.name else { continue }
                found.append(
                    GrantsProblem(
                        line: entry.line, column: column,
                        message: "\(owner.name) has this signing key in line \(owner.line), too: whoever has it can "
                            + "sign as both"))
            }
        }
        return found
    }
}
