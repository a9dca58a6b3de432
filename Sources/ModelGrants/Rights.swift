/// The actions that the owner of a key may take.
///
/// A right is granted by name; what was not granted is refused. The names of types and origins are checked on every
/// request and every batch, so a check costs no more than a comparison with each pattern.
public struct Rights: Hashable, Sendable {
    /// The types that the key may read: by a stream, a snapshot, a replay, a fetch or a digest.
    public var subscriptions: [NamePattern] = []
    /// The types that the key may write, each with the origins as which it may. It may read them, too: a writer
    /// compares what it has written with what is there.
    public var publications: [Publication] = []
    /// The key may hand on what other origins wrote, of all types.
    public var isRelay = false
    /// The key may see all types, ask for the state of a process, and compare everything.
    public var isOperator = false

    /// No right at all.
    public init() {}

    /// Everything. Where there are no grants, each key that is allowed has these rights.
    public static let all: Rights = {
        var rights = Rights()
        (rights.subscriptions, rights.publications) = ([.all], [Publication(types: [.all], origins: [.all])])
        (rights.isRelay, rights.isOperator) = (true, true)
        return rights
    }()

    /// Every type may be read, so nothing has to be left out for this key.
    public var readsAll: Bool {
        isOperator || subscriptions.contains(.all) || publications.contains { $0.types.contains(.all) }
    }

    /// The key may read models of this type.
    public func mayRead(_ type: String) -> Bool {
        isOperator || subscriptions.contains { $0.matches(type) } || publications.contains { $0.has(type: type) }
    }

    /// The key may write models of this type as this origin, by a push.
    public func mayWrite(_ type: String, as origin: String) -> Bool {
        publications.contains { $0.has(type: type) && $0.has(origin: origin) }
    }

    /// The key may write as this origin.
    public func mayBe(_ origin: String) -> Bool { publications.contains { $0.has(origin: origin) } }

    /// The word of a server with this key on models of this type and this origin counts: it is that origin, or a relay.
    public func maySpeak(for origin: String, of type: String) -> Bool { isRelay || mayWrite(type, as: origin) }

    /// The word of a server with this key on this origin counts.
    public func maySpeak(for origin: String) -> Bool { isRelay || mayBe(origin) }

    /// The key may cause a publisher to recover what it has not got any more, by a report.
    public var mayCauseRecovery: Bool { isRelay || isOperator }

    /// The patterns of all types that may be read, none of which is covered by another, ordered by their text: two keys
    /// that may read the same have the same ones.
    public var readable: [NamePattern] {
        if readsAll { return [.all] }
        let patterns = Set(subscriptions + publications.flatMap(\.types))
        // Only a pattern with a * covers others: of thousands of names few have one.
        let wide = patterns.filter(\.isPrefix)
        return patterns.filter { pattern in !wide.contains { $0 != pattern && $0.covers(pattern) } }
            .sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) }
    }

    /// The rights alone: another key for signatures makes them no others.
    public var withoutSigningKeys: Rights {
        var rights = self
        for index in rights.publications.indices { rights.publications[index].signingKeys = [] }
        return rights
    }

    /// Adds the rights of another line with the same key.
    mutating func add(_ other: Rights) {
        subscriptions += other.subscriptions
        publications += other.publications
        isRelay = isRelay || other.isRelay
        isOperator = isOperator || other.isOperator
    }
}
