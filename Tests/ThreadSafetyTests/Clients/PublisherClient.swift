import ModelCache
import ModelRecord
import ModelSync
import Modelcast

/// Calls everything that a publisher offers, and writes down what it was given and told.
final class PublisherClient: StressClient {
    private struct Inside {
        var generator: OperationGenerator
        var history = History()
        var operationCount = 0
        var refusedCount = 0
        var stoppedCount = 0
        var faults: [String] = []
    }

    private let number: Int
    private let publisher: Publisher
    private let clock: HistoryClock
    private let reader: CopyReader
    private let inside: Guarded<Inside>

    init(_ number: Int, seed: UInt64, _ publisher: Publisher, _ clock: HistoryClock) {
        self.number = number
        self.publisher = publisher
        self.clock = clock
        reader = CopyReader(number, publisher.cache, publisher, clock)
        inside = Guarded(Inside(generator: OperationGenerator(seed: seed, client: number)))
    }

    var history: History { inside.withLock { $0.history } }
    var operationCount: Int { inside.withLock { $0.operationCount } }
    /// How many writes were refused as the outbox was full.
    var refusedCount: Int { inside.withLock { $0.refusedCount } }
    /// How many were refused as the publisher had been stopped.
    var stoppedCount: Int { inside.withLock { $0.stoppedCount } }
    /// What should not have happened, whatever others did.
    var faults: [String] { inside.withLock { $0.faults } }

    func step() {
        let operation = inside.withLock { inside in
            inside.operationCount += 1
            return inside.generator.next()
        }
        do {
            try act(operation)
        } catch let error as ModelcastError where error.code == .stopped {
            inside.withLock { $0.stoppedCount += 1 }
        } catch let error as ModelcastError where error.code == .outboxFull {
            countRefused()
        } catch {
            inside.withLock { $0.faults.append("\(operation) threw \(error)") }
        }
    }

    private func act(_ operation: StressOperation) throws {
        switch operation {
        case .write(let step): try write(step)
        case .transaction(let steps): try transaction(steps)
        case .abandonedTransaction(let steps): try abandon(steps)
        case .batch(let steps): try batch(steps)
        case .update(let id, let a): try update(id, a)
        case .typed(let write, let item): try typed(write, item)
        case .publishChanges(let id, let a): try publishChanges(id, a)
        case .deleteTyped(let id): try deleteTyped(id)
        case .publishDeed(let deed): try publish(deed)
        case .read(let key, let way): note(reader.read(key, way))
        case .readTyped(let id, let way): note(reader.readTyped(id, way))
        case .snapshot(let way): note(reader.snapshot(way))
        case .refused: try beRefused()
        }
    }

    // MARK: Writes

    private func write(_ step: ModelStep) throws {
        let (type, id, fields) = (step.key.type, step.key.id, Fields(step.fields))
        try perform([step]) {
            switch step.write {
            case .merge: try publisher.merge(type, id, fields)
            case .replace: try publisher.replace(type, id, fields)
            case .assign: try publisher.assign(type, id, fields)
            case .delete: try publisher.delete(type, id)
            }
        }
    }

    private func transaction(_ steps: [ModelStep]) throws {
        try perform(steps) {
            try publisher.transaction { writes in
                for step in steps { try PublisherClient.add(step, to: &writes) }
            }
        }
    }

    /// Of this nobody may ever see anything.
    private func abandon(_ steps: [ModelStep]) throws {
        struct ChangeOfMind: Error {}
        do {
            try publisher.transaction { writes in
                for step in steps { try PublisherClient.add(step, to: &writes) }
                throw ChangeOfMind()
            }
            fault("a transaction whose body throws has not thrown")
        } catch is ChangeOfMind {}
    }

    private static func add(_ step: ModelStep, to writes: inout Writes) throws {
        let (type, id, fields) = (step.key.type, step.key.id, Fields(step.fields))
        switch step.write {
        case .merge: try writes.merge(type, id, fields)
        case .replace: try writes.replace(type, id, fields)
        case .assign: try writes.assign(type, id, fields)
        case .delete: try writes.delete(type, id)
        }
    }

    private func batch(_ steps: [ModelStep]) throws {
        let invoked = clock.tick()
        let outcome = try publisher.batch { writes in
            for step in steps { try PublisherClient.add(step, to: &writes) }
        }
        let interval = Interval(invoked: invoked, responded: clock.tick())
        guard outcome.published == steps.count else { return fault("a batch of new values: \(outcome)") }
        inside.withLock { inside in
            inside.history.writes += steps.map { WriteEvent(client: number, interval: interval, steps: [$0]) }
        }
    }

    private func update(_ id: Int, _ a: Int64) throws {
        let key = ModelKey(type: StressItem.modelType, id: "\(id)")
        let step = ModelStep(key: key, write: .merge, fields: ["a": .int(a)])
        var before: Sighting?
        let invoked = clock.tick()
        do {
            let outcome = try publisher.update(StressItem.self, id) { item in
                before = item.sighting
                item.a = a
            }
            note(outcome, [step], before: before, Interval(invoked: invoked, responded: clock.tick()))
        } catch let error as ModelcastError where error.code == .notFound {
            note(read(key, .exactly(nil), "update", Interval(invoked: invoked, responded: clock.tick())))
        }
    }

    private func typed(_ write: Write, _ item: StressItem) throws {
        let key = ModelKey(type: StressItem.modelType, id: "\(item.id)")
        let step = ModelStep(key: key, write: write, fields: item.contents)
        try perform([step]) {
            switch write {
            case .assign: try publisher.assign(item)
            case .replace: try publisher.replace(item)
            default: try publisher.merge(item)
            }
        }
    }

    private func publishChanges(_ id: Int, _ a: Int64) throws {
        let key = ModelKey(type: StressItem.modelType, id: "\(id)")
        guard let old = publisher[lastGood: StressItem.self, id] else { return }
        let step = ModelStep(key: key, write: .merge, fields: ["a": .int(a)])
        try perform([step]) { try publisher.merge(changesFrom: old, to: old.with { $0.a = a }) }
    }

    private func deleteTyped(_ id: Int) throws {
        let key = ModelKey(type: StressItem.modelType, id: "\(id)")
        try perform([ModelStep(key: key, write: .delete, fields: [:])]) {
            try publisher.delete(StressItem.self, id)
        }
    }

    private func publish(_ deed: StressDeed) throws {
        let key = ModelKey(type: StressDeed.modelType, id: "\(deed.id)")
        let step = ModelStep(key: key, write: .merge, fields: ["number": .int(deed.number)])
        let invoked = clock.tick()
        do {
            let outcome = try publisher.merge(deed)
            note(outcome, [step], Interval(invoked: invoked, responded: clock.tick()))
        } catch {
            guard error.code == .constant else { throw error }
            let interval = Interval(invoked: invoked, responded: clock.tick())
            note(read(key, .refusing(field: "number", .int(deed.number)), "a refused constant", interval))
        }
    }

    private func beRefused() throws {
        do {
            // A full outbox is told before the names are looked at.
            try publisher.merge("no type", "0", ["a": 1])
            fault("a bad type has been published")
        } catch  where error.code == .badInput {}
    }

    // MARK: Notes

    private func perform(_ steps: [ModelStep], _ body: () throws -> PublishOutcome) throws {
        let invoked = clock.tick()
        let outcome = try body()
        note(outcome, steps, Interval(invoked: invoked, responded: clock.tick()))
    }

    private func note(
        _ outcome: PublishOutcome, _ steps: [ModelStep], before: Sighting? = nil, _ interval: Interval
    ) {
        switch outcome {
        case .published(let stamp):
            inside.withLock { inside in
                inside.history.writes.append(
                    WriteEvent(client: number, interval: interval, stamp: stamp, steps: steps, before: before))
            }
        case .unchanged:
            let keys = Set(steps.map(\.key))
            let seen = keys.map { key in (key, Sighting.unchanged(by: steps.filter { $0.key == key })) }
            note(
                ReadEvent(
                    client: number, interval: interval, call: "an outcome",
                    seen: Dictionary(uniqueKeysWithValues: seen)))
        }
    }

    private func read(_ key: ModelKey, _ sighting: Sighting, _ call: String, _ interval: Interval) -> ReadEvent {
        ReadEvent(client: number, interval: interval, call: call, seen: [key: sighting])
    }

    private func note(_ read: ReadEvent) { inside.withLock { $0.history.reads.append(read) } }

    private func countRefused() { inside.withLock { $0.refusedCount += 1 } }

    private func fault(_ text: String) { inside.withLock { $0.faults.append(text) } }
}
