import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire

/// Tells a store what a replica has merged, and how far it has come. Belongs to the socket thread.
final class ReplicaKeeper {
    private let link: StoreLink
    private let replica: Replica
    private let logger: Logger
    /// The first sequence of a stream that the ring can replay; nil where it can replay none.
    private let oldestHeld: (ReplayRing.Stream) -> UInt64?
    private var pruner: BatchPruner
    /// The pushed batches that are being stored, by the numbers of their commits.
    private var persisting: [UInt64: StoredBatch] = [:]
    /// The positions that the store was last told.
    private var told: [StreamID: StreamPosition] = [:]
    /// The facts on origins that the store was told.
    private var toldFacts: Set<String> = []
    /// The replica's count of forgotten names at the last look.
    private var forgottenNames: UInt64 = 0
    private var nextState: UInt64 = 0
    private var nextAlive: UInt64 = 0

    private struct StreamID: Hashable {
        let origin: String
        let topic: Topic
    }

    /// The longest time until the heads of stored records are noted.
    private static let stateMicroseconds: UInt64 = 250_000
    private static let aliveMicroseconds: UInt64 = 2_000_000

    /// - Parameters:
    ///   - start: the content of the store at the start.
    ///   - oldestHeld: the first sequence of a stream that the ring holds; nil where there is no ring.
    init(
        _ link: StoreLink, _ start: StoreLink.Start, replica: Replica, logger: Logger,
        oldestHeld: @escaping (ReplayRing.Stream) -> UInt64? = { _ in nil }
    ) {
        self.link = link
        self.replica = replica
        self.oldestHeld = oldestHeld
        self.logger = logger
        pruner = BatchPruner(start.batches)
        for position in start.positions {
            told[StreamID(origin: position.origin, topic: position.topic)] = position
            toldFacts.formUnion(StoreLink.Fact.facts(of: position))
        }
    }

    /// The figures of the store.
    var status: WriteBehindStatus { link.behind.status }

    /// Notes the changes since the last call.
    /// - Returns: the durable commits that have ended, by their numbers.
    func step(now: Moment) -> [(token: UInt64, error: StoreError?)] {
        let letters = link.mail.take()
        for event in letters.events { handle(event) }
        // The journal is taken first, as the positions below may only cover records that are in it.
        let journal = replica.cache.takeJournal()
        var changes = StoreChanges()
        let time = now.uptimeMicroseconds
        let isStateDue = time >= nextState
        if isStateDue {
            nextState = time + ReplicaKeeper.stateMicroseconds
            removeForgotten(from: &changes)
            addPositions(to: &changes)
        }
        if time >= nextAlive {
            nextAlive = time + ReplicaKeeper.aliveMicroseconds
            changes.facts.aliveMilliseconds = replica.lastContact(now: now)
        }
        link.note(journal, and: changes)
        // The pruner looks at each stream that was pushed to in the last minute, so it runs only now and then.
        if isStateDue {
            pruner.step(link.behind) { stream in
                // A restart has to find in the file what the ring holds now.
                min(noted(stream), oldestHeld(stream).map { $0 - 1 } ?? .max)
            }
        }
        // Noted last, as these batches are merged after this step: nothing that was noted in it covers them.
        for (token, error) in letters.completions {
            guard let batch = persisting.removeValue(forKey: token), error == nil else { continue }
            pruner.note(batch)
        }
        return letters.completions
    }

    /// The sequence up to which the store has been told all records of the stream.
    private func noted(_ stream: ReplayRing.Stream) -> UInt64 {
        guard let position = told[StreamID(origin: stream.origin, topic: stream.topic)] else { return 0 }
        if position.incarnation > stream.incarnation { return .max }
        return position.incarnation == stream.incarnation ? position.applied : 0
    }

    /// Begins to make a pushed batch durable. ``step(now:)`` reports the end.
    func persist(
        _ token: UInt64, topic: Topic, payload: [UInt8], origin: String, incarnation: UInt64, sequence: UInt64,
        now: Moment
    ) {
        let batch = StoredBatch(
            origin: origin, incarnation: incarnation, topic: topic, sequence: sequence,
            writtenMilliseconds: now.wallMilliseconds, payload: payload)
        persisting[token] = batch
        var changes = StoreChanges()
        changes.batches = [batch]
        link.commit(changes, token: token)
    }

    /// Notes the last changes, before the store is closed.
    func finish(now: Moment) {
        (nextState, nextAlive) = (0, 0)
        _ = step(now: now)
    }

    /// Adds the positions that were reached since the last call. Their records have been taken from the journal before
    /// or with them.
    private func addPositions(to changes: inout StoreChanges) {
        for position in replica.positions {
            let id = StreamID(origin: position.origin, topic: position.topic)
            guard told[id] != position else { continue }
            told[id] = position
            changes.heads.append(
                StoredHead(
                    origin: position.origin, topic: position.topic, incarnation: position.incarnation,
                    sequence: position.applied))
            for fact in StoreLink.Fact.facts(of: position) where toldFacts.insert(fact).inserted {
                changes.facts[fact] = [1]
            }
        }
    }

    /// Removes the origins from the store that the replica has forgotten. Their models stay.
    private func removeForgotten(from changes: inout StoreChanges) {
        guard replica.counters[.forgottenNames] > forgottenNames else { return }
        forgottenNames = replica.counters[.forgottenNames]
        let gone = Set(told.keys.lazy.filter { self.isWanted($0.topic) }.map(\.origin))
            .filter { !replica.follows($0) }
        told = told.filter { !gone.contains($0.key.origin) }
        pruner.forget(gone)
        changes.removedOrigins = gone.sorted()
        for fact in gone.flatMap({ origin in StoreLink.Fact.ofOrigins.map { $0 + origin } }) {
            toldFacts.remove(fact)
            changes.facts[fact] = []
        }
    }

    private func isWanted(_ topic: Topic) -> Bool {
        replica.configuration.prefixes.contains { topic.overlaps($0) }
    }

    private func handle(_ event: StoreEvent) {
        logger.log(event)
        guard case .replaced = event else { return }
        // The new file has none of the noted positions.
        (told, toldFacts, nextState, nextAlive) = ([:], [], 0, 0)
        pruner.beginAnew()
        link.noteEverything(of: replica.cache)
    }
}
