@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore
import ModelSync
import ModelWire

/// Tells a store what a publisher has written. Used under the lock of the publisher's core.
struct PublisherKeeper {
    private let link: StoreLink
    private var nextAlive: UInt64 = 0
    /// The start that the store was last told.
    private var incarnation: UInt64 = 0
    /// The starts that earlier runs have given up. The file may still hold batches of them.
    private let earlierVoids: [UInt64]

    private static let aliveMicroseconds: UInt64 = 2_000_000

    init(_ link: StoreLink, earlierVoids: Set<UInt64>) {
        self.link = link
        self.earlierVoids = earlierVoids.sorted()
    }

    /// Notes the changes since the last call.
    mutating func note(_ origin: Origin, now: Moment) {
        let journal = origin.cache.takeJournal()
        let isDue = now.uptimeMicroseconds >= nextAlive
        guard isDue || !journal.isEmpty || origin.incarnation != incarnation else { return }
        incarnation = origin.incarnation
        var rest = StoreChanges()
        rest.origins = [origin.stored]
        if !origin.voidIncarnations.isEmpty {
            rest.facts[StoreLink.Fact.void] = StoreLink.encode(
                voidIncarnations: earlierVoids + origin.voidIncarnations)
        }
        if isDue {
            nextAlive = now.uptimeMicroseconds + PublisherKeeper.aliveMicroseconds
            rest.facts.aliveMilliseconds = now.wallMilliseconds
            // Recovered models were noted before this, or are noted with it.
            rest.facts[StoreLink.Fact.new] = [0]
        }
        link.note(journal, and: rest)
    }

    /// Notes all models, for a new file.
    mutating func noteEverything(_ origin: Origin, now: Moment) {
        nextAlive = 0
        link.noteEverything(of: origin.cache)
        note(origin, now: now)
    }
}

extension Origin {
    /// The state of the origin that the next start has to know.
    var stored: StoredOrigin {
        StoredOrigin(name: configuration.name, incarnation: incarnation, stamp: max(lastStamp, incarnation))
    }
}

extension PublisherCore {
    /// A core that goes on with what the store holds: the same models, and a start that is later than everything that
    /// was written before. That start is on disk when this returns.
    /// - Parameter cache: holds the records of the store already.
    init(
        _ configuration: OriginConfiguration, batchDelay: Duration, cache: ModelCache, store: StoreLink?
    ) throws(ModelcastError) {
        let start = store?.takeStart()
        var seen = max(start?.lastStamp ?? 0, start?.own?.stamp ?? 0, start?.own?.incarnation ?? 0)
        // The records of these batches may not have reached the file.
        var decoder = BatchDecoder(limits: configuration.limits)
        let voids = StoreLink.voidIncarnations(in: start?.facts)
        for batch in start?.batches ?? [] where !voids.contains(batch.incarnation) {
            guard let type = batch.topic.type, (try? decoder.decode(batch.payload.span)) != nil else { continue }
            cache.commit(decoder.batch(in: batch.payload.span), type: type)
            seen = max(seen, decoder.lastStamp, decoder.incarnation)
        }
        let origin: Origin
        do {
            origin = try Origin(configuration: configuration, cache: cache, now: Clocks.now(), after: seen)
        } catch {
            throw ModelcastError(error)
        }
        if let store {
            var changes = StoreChanges()
            changes.origins = [origin.stored]
            do { try store.behind.commit(changes, within: PublisherCore.startLimit) } catch {
                throw ModelcastError(error)
            }
        }
        self.init(origin: origin, batchDelay: batchDelay)
        keeper = store.map { PublisherKeeper($0, earlierVoids: voids) }
        pruner = BatchPruner(start?.batches ?? [])
    }

    private static var startLimit: Duration { .seconds(30) }
}
