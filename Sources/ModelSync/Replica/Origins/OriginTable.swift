import ModelRecord

/// A replica's knowledge of one origin, beside its streams.
struct OriginFacts {
    /// The greatest incarnation that `heads` have told; nil where none have.
    var latestStart: UInt64?
    /// The greatest incarnation that the origin itself or a batch has told; 0 for none.
    var provenStart: UInt64 = 0
    /// The greatest incarnation of a batch that was sealed, where seals are looked at; 0 for none.
    var signedStart: UInt64 = 0
    /// Others may have told of a later start than the proven one.
    var hasClaimedStart = false
    /// A later start that is not followed on all topics yet.
    var startUnderWay: StartUnderWay?
    /// The start of which the log was told last.
    var loggedStart: UInt64?
    /// The origin has started anew since it was met.
    var isRestarted = false
    /// The greatest stamp that heads of the origin have told, or the restored state has, of whichever start: a later
    /// start must be above it.
    var latestStamp: Stamp = 0
    /// The origin has had an earlier start, or may have had one, as a relay tells or a stored position leaves open.
    var mayHaveFormer = false
    /// The origin has sent transactions over several topics, as its heads tell and its batches show.
    var hasTransactions = false
    /// The origin pushes its batches to relays.
    var isPushed = false
    /// Batches of the origin were pushed to this relay.
    var isPushedHere = false
    /// The last line of the log on the clock of the origin was that it is rejected.
    var isToldRejected = false
}

/// A table of the origins that a replica knows: one entry an origin, which goes when the name is forgotten.
struct OriginTable {
    private var facts: [String: OriginFacts] = [:]
    /// How many names are followed and told, and what is known of those that are not any more.
    var limits = NameLimits()
    /// The number of origins that have sent transactions over several topics.
    private(set) var transactionalCount = 0
    /// The number of origins whose last line in the log is that they are rejected.
    private(set) var toldRejectedCount = 0
    private var namesOfStarts: Set<String> = []

    /// The facts of an origin; those of one that is unknown are empty.
    subscript(origin: String) -> OriginFacts {
        get { facts[origin] ?? OriginFacts() }
        set {
            account(for: facts[origin] ?? OriginFacts(), newValue, of: origin)
            facts[origin] = newValue
        }
    }

    /// Some origin has sent transactions over several topics.
    var hasTransactions: Bool { transactionalCount > 0 }

    /// A later start of some origin is not followed on all topics yet.
    var isAnyStartUnderWay: Bool { !namesOfStarts.isEmpty }

    /// The starts that are not followed on all topics yet, in one order on every machine.
    var startsUnderWay: [(origin: String, start: StartUnderWay)] {
        namesOfStarts.sorted().compactMap { name in facts[name]?.startUnderWay.map { (name, $0) } }
    }

    /// Takes note that the origin has sent a transaction over several topics, unless that is known already.
    mutating func noteTransaction(of origin: String) {
        guard !self[origin].hasTransactions else { return }
        self[origin].hasTransactions = true
    }

    /// Forgets these names.
    mutating func forget(_ names: Set<String>) {
        for name in names {
            guard let known = facts.removeValue(forKey: name) else { continue }
            account(for: known, OriginFacts(), of: name)
        }
    }

    private mutating func account(for old: OriginFacts, _ new: OriginFacts, of origin: String) {
        transactionalCount += (new.hasTransactions ? 1 : 0) - (old.hasTransactions ? 1 : 0)
        toldRejectedCount += (new.isToldRejected ? 1 : 0) - (old.isToldRejected ? 1 : 0)
        switch (old.startUnderWay == nil, new.startUnderWay == nil) {
        case (true, false): namesOfStarts.insert(origin)
        case (false, true): namesOfStarts.remove(origin)
        case (true, true), (false, false): break
        }
    }

    /// The first sum that is not kept up to date; nil where all are.
    func brokenInvariant() -> String? {
        if transactionalCount != facts.values.count(where: \.hasTransactions) {
            return "origins of transactions are miscounted"
        }
        if toldRejectedCount != facts.values.count(where: \.isToldRejected) { return "rejected origins are miscounted" }
        if namesOfStarts != Set(facts.keys.filter { facts[$0]?.startUnderWay != nil }) {
            return "a start under way is missing in the list of them"
        }
        return nil
    }
}
