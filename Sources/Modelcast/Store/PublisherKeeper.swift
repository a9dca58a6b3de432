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
    /// The missing writes that the file tells of, and whether they still have to be told.
    private var lack: (value: StoreLink.Lack, isDue: Bool)

    private static let aliveMicroseconds: UInt64 = 2_000_000

    /// - Parameter lack: as the file has it already.
    init(_ link: StoreLink, earlierVoids: Set<UInt64>, lack: StoreLink.Lack) {
        self.link = link
        self.lack = (lack, false)
        self.earlierVoids = earlierVoids.sorted()
    }

    /// Notes the changes since the last call.
    mutating func note(_ origin: Origin, now: Moment) {
        let journal = origin.cache.takeJournal()
        let isDue = now.uptimeMicroseconds >= nextAlive
        guard isDue || lack.isDue || !journal.isEmpty || origin.incarnation != incarnation else { return }
        incarnation = origin.incarnation
        var rest = StoreChanges()
        rest.origins = [origin.stored]
        if !origin.voidIncarnations.isEmpty {
            rest.facts[StoreLink.Fact.void] = StoreLink.encode(
                voidIncarnations: earlierVoids + origin.voidIncarnations)
        }
        if lack.isDue {
            lack.isDue = false
            rest.facts[StoreLink.Fact.lack] = [lack.value.rawValue]
        }
        if isDue {
            nextAlive = now.uptimeMicroseconds + PublisherKeeper.aliveMicroseconds
            rest.facts.aliveMilliseconds = now.wallMilliseconds
            // Recovered models were noted before this, or are noted with it.
            rest.facts[StoreLink.Fact.new] = [0]
        }
        link.note(journal, and: rest)
    }

    /// Notes, together with the next changes, that missing writes were taken back from all who may hold them.
    mutating func noteTakenBack(_ durability: Durability) { lack = (durability.lack, true) }

    /// Notes all models, for a new file.
    mutating func noteEverything(_ origin: Origin, now: Moment) {
        nextAlive = 0
        lack.isDue = true
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

extension Durability {
    /// The writes that a file lacks, once a run with this durability has written it to the end.
    fileprivate var lack: StoreLink.Lack { self == .beforeSend ? .never : .whenKilled }
}

extension PublisherCore {
    /// A core that goes on with what the store holds: the same models, and a start that is later than everything that
    /// was written before. That start is on disk when this returns.
    /// - Parameters:
    ///   - cache: holds the records of the store already.
    ///   - durability: that of this run. The file tells it to the next one.
    init(
        _ configuration: OriginConfiguration, batchDelay: Duration, cache: ModelCache, store: StoreLink?,
        durability: Durability, now: Moment
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
        var configuration = configuration
        // Nothing is known of writes before the first start with this file.
        let told = start?.facts[StoreLink.Fact.heldSince] ?? []
        if let store, !store.isNew, !store.mayLack, told.count == 8 {
            configuration.heldSince = UInt64(bigEndianBytes: told)
        }
        do {
            origin = try Origin(configuration: configuration, cache: cache, now: now, after: seen)
        } catch {
            throw ModelcastError(error)
        }
        let lack = store?.mayLack ?? false ? StoreLink.Lack.now : durability.lack
        if let store {
            var changes = StoreChanges()
            changes.facts[StoreLink.Fact.lack] = [lack.rawValue]
            changes.facts[StoreLink.Fact.heldSince] = (configuration.heldSince ?? origin.incarnation).bigEndianBytes
            changes.origins = [origin.stored]
            do { try store.behind.commit(changes, within: PublisherCore.startLimit) } catch {
                throw ModelcastError(error)
            }
        }
        self.init(origin: origin, batchDelay: batchDelay)
        keeper = store.map { PublisherKeeper($0, earlierVoids: voids, lack: lack) }
        pruner = BatchPruner(start?.batches ?? [])
        self.origin.endExpired(now: now)
    }

    private static var startLimit: Duration { .seconds(30) }
}
