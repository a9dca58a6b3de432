import ModelRecord
import ZeroMQ

/// A grant as the words of the article on encryption have it. Tests hold the services against it, so nothing here asks
/// the library what a key may do.
struct WrittenGrant: Sendable {
    let name: String
    let keys: Curve.KeyPair
    var subscribed: [String] = []
    var published: [String] = []
    var origins: [String] = []
    var isRelay = false
    var isOperator = false
    /// The rights to write stand in a line of their own, and the lines of a key add up.
    var hasTwoLines = false

    /// The key may read models of this type.
    func reads(_ type: String) -> Bool { isOperator || Self.stand(subscribed + published, for: type) }

    /// The key may push models of this type as this origin.
    func writes(_ type: String, as origin: String) -> Bool {
        Self.stand(published, for: type) && Self.stand(origins, for: origin)
    }

    /// The key's word on models of this type and origin counts where others listen to it.
    func speaks(for origin: String, of type: String) -> Bool { isRelay || writes(type, as: origin) }

    /// The key may make a publisher start anew.
    var causesRecovery: Bool { isRelay || isOperator }

    /// A pattern stands for its name, or for all names that begin with what is before a `*` at its end.
    private static func stand(_ patterns: [String], for name: String) -> Bool {
        patterns.contains { $0.last == "*" ? name.hasPrefix(String($0.dropLast())) : $0 == name }
    }

    /// The lines of the grant in a file.
    var text: String {
        lines.map { "grant \(keys.publicKey.z85) \(name) \($0)" }.joined(separator: "\n")
    }

    /// The words of each line, for messages.
    var words: String { "\(name) \(lines.joined(separator: " / "))" }

    private var lines: [String] {
        let writing = published.map { "publish:\($0)" } + origins.map { "origin=\($0)" }
        let others = subscribed.map { "subscribe:\($0)" } + (isRelay ? ["relay"] : []) + (isOperator ? ["operate"] : [])
        let lines = hasTwoLines ? [writing, others] : [others + writing]
        return lines.map { $0.joined(separator: " ") }
    }
}

extension WrittenGrant {
    /// A key with any combination of rights.
    static func random(
        _ name: String, types: [String], origins: [String], using generator: inout SeededGenerator
    ) throws -> WrittenGrant {
        var grant = WrittenGrant(name: name, keys: try Curve.KeyPair())
        func isChosen(of number: Int) -> Bool { Int.random(in: 0..<number, using: &generator) == 0 }
        func patterns(_ names: [String], _ counts: ClosedRange<Int>) -> [String] {
            (0..<Int.random(in: counts, using: &generator)).map { _ in
                let name = names.randomElement(using: &generator) ?? ""
                guard isChosen(of: 2) else { return name }
                // A bare `*` is one beginning among others, and not a frequent one.
                return name.prefix(Int.random(in: isChosen(of: 6) ? 0...0 : 1...name.count, using: &generator)) + "*"
            }
        }
        if !isChosen(of: 3) { grant.subscribed = patterns(types, 1...3) }
        if isChosen(of: 2) {
            grant.published = patterns(types, 1...2)
            grant.origins = patterns(origins, 1...2)
        }
        grant.isRelay = isChosen(of: 6)
        grant.isOperator = isChosen(of: 10)
        grant.hasTwoLines = isChosen(of: 3)
        return grant
    }
}
