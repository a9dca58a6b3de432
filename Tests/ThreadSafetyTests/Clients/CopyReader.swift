@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelTypes
import ModelViews

/// Reads a copy in every way that there is, and says what it has seen and when.
struct CopyReader: Sendable {
    private let client: Int
    private let cache: ModelCache
    /// The publisher or subscriber that the cache is of.
    private let source: any ModelSource & Sendable
    private let tables: [String: ModelTable]
    private let clock: HistoryClock

    init(_ client: Int, _ cache: ModelCache, _ source: any ModelSource & Sendable, _ clock: HistoryClock) {
        self.client = client
        self.cache = cache
        self.source = source
        self.clock = clock
        let types = Set(OperationGenerator.keys.map(\.type))
        tables = Dictionary(uniqueKeysWithValues: types.map { ($0, cache.table($0)) })
    }

    /// One record.
    func read(_ key: ModelKey, _ way: Int) -> ReadEvent {
        let (type, id) = (key.type, key.id)
        let invoked = clock.tick()
        let (call, record): (String, CellRecord?) =
            switch way {
            case 0: ("subscript of the cache", cache[type, id])
            case 1: ("subscript", source[type, id])
            case 2: ("table", tables[type]?[id])
            case 3: ("table with tombstones", tables[type]?.record(id.utf8.span, idHash: Fingerprint.fnv(id)))
            case 4: ("record", cache.record(type: type, id: id, includingTombstones: true))
            default: ("snapshot of one", cache.snapshot()[type, id])
            }
        let interval = Interval(invoked: invoked, responded: clock.tick())
        return ReadEvent(client: client, interval: interval, call: call, seen: [key: CopyReader.sighting(of: record)])
    }

    /// One model as a Swift type.
    func readTyped(_ id: Int, _ way: Int) -> ReadEvent {
        let key = ModelKey(type: StressItem.modelType, id: "\(id)")
        let invoked = clock.tick()
        let (call, item): (String, StressItem?) =
            switch way {
            case 0: ("typed subscript", source[lastGood: StressItem.self, id])
            case 1: ("typed, lent", source.withModel(lastGood: StressItem.self, id) { copy $0 })
            case 2: ("typed state", source.state(of: StressItem.self, id)?.model)
            default: ("typed snapshot", cache.snapshot()[lastGood: StressItem.self, id])
            }
        let interval = Interval(invoked: invoked, responded: clock.tick())
        return ReadEvent(
            client: client, interval: interval, call: call, seen: [key: item.map(\.sighting) ?? .exactly(nil)])
    }

    /// All models in one cut.
    func snapshot(_ way: Int) -> ReadEvent {
        let invoked = clock.tick()
        let snapshot = cache.snapshot()
        let interval = Interval(invoked: invoked, responded: clock.tick())
        // Read when it may be old already: nothing of what it shows may change.
        var seen: [ModelKey: Sighting] = [:]
        for key in OperationGenerator.keys { seen[key] = .exactly(nil) }
        switch way {
        case 0:
            for key in OperationGenerator.keys { seen[key] = CopyReader.sighting(of: snapshot[key.type, key.id]) }
        case 1:
            for type in snapshot.types {
                for record in snapshot.records(of: type) {
                    seen[ModelKey(type: type, id: record.id)] = CopyReader.sighting(of: record)
                }
            }
        default:
            for type in snapshot.types {
                snapshot.forEach(type: type, includingTombstones: true) { record in
                    seen[ModelKey(type: type, id: record.id)] = CopyReader.sighting(of: record)
                    return true
                }
            }
        }
        return ReadEvent(client: client, interval: interval, call: "snapshot", seen: seen)
    }

    private static func sighting(of record: CellRecord?) -> Sighting {
        guard let record, record.exists else { return .exactly(nil) }
        return .exactly(record.values)
    }
}
