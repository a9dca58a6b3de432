import Logging
@_spi(CacheWriting) import ModelCache
import Modelcast
import Synchronization
import Testing

@testable import ModelcastBench

/// Scenarios with few models: what they count and which figures they have, never how long anything takes.
@Suite(.timeLimit(.minutes(15))) struct ScenarioTests {
    private var sizes: ScenarioSizes {
        var sizes = ScenarioSizes()
        sizes.turns = 1
        (sizes.readModels, sizes.readQueues, sizes.readTurnSeconds) = ([200, 1_000], [1, 2], 0.002)
        (sizes.growthModels, sizes.growthUpdates) = ([100, 1_000], 2_048)
        (sizes.observerModels, sizes.observerCounts, sizes.observerUpdates) = (500, [10, 500], 640)
        (sizes.limitModels, sizes.limitUpdates) = (1_000, 4_096)
        (sizes.snapshotModels, sizes.snapshotUpdates, sizes.snapshotOpenings) = (2_000, 2_000, 10)
        return sizes
    }

    private func figure(_ part: BenchPart, _ name: String) throws -> BenchFigure {
        try #require((part.figures + part.details).first { $0.name == name }, "\(part)")
    }

    @Test func `reads are measured for every number of models and queues, hot and uniform, with a writer and without`()
        throws
    {
        let part = try ReadsScenario(sizes).measure { _ in }
        let all = part.figures + part.details
        for models in ["200", "1,000"] {
            for queues in ["a point read, 1 queue", "reads a second, 2 queues"] {
                for ids in ["hot set", "uniform"] {
                    for writer in ["", ", writer at full speed"] {
                        let name = "\(queues), \(models) models, \(ids)\(writer)"
                        let read = try figure(part, name)
                        #expect(read.value > 0 && (read.baseline?.value ?? 0) > 0, "\(name)")
                    }
                }
            }
        }
        // The warm read, and the tails of reads by one and by all queues, hot and uniform.
        #expect(all.filter { $0.mark != nil }.count == 5)
        #expect(all.filter { $0.name == "  written meanwhile" && $0.value > 0 }.count == 8)
        #expect(part.figures.filter { $0.mark != nil }.count == 5, "marks stand in the table")
    }

    @Test func `a read that finds nothing is counted`() throws {
        let source = try CacheReads(models: 100)
        let ids = (0..<200).map { NumberedModels.id($0) }
        let one = ReadCase(models: 200, queues: 2, isHot: false, hasWriter: false)
        let turn = try ReadTurn.measure(source, ids, one, seconds: 0.02)
        #expect(turn.missed > 0)
        let timed = try ReadTurn.measure(source, ids, one, seconds: 0.02, timesEach: true)
        #expect(timed.missed > 0)
        #expect(timed.percentile(50) > 0)
    }

    @Test func `the writers of reads replace models while they are read`() throws {
        let cache = try CacheReads(models: 300)
        let dictionary = try DictionaryReads(cache, models: 300)
        let ids = (0..<300).map { NumberedModels.id($0) }
        let one = ReadCase(models: 300, queues: 1, isHot: false, hasWriter: true)
        let before = ids.map { cache.record($0)?.lastStamp ?? 0 }
        let turns = try (
            ReadTurn.measure(cache, ids, one, seconds: 0.05), ReadTurn.measure(dictionary, ids, one, seconds: 0.05)
        )
        #expect(turns.0.writesPerSecond > 0 && turns.1.writesPerSecond > 0)
        #expect(turns.0.missed == 0 && turns.1.missed == 0)
        #expect(zip(ids, before).contains { (cache.record($0)?.lastStamp ?? 0) > $1 })
    }

    @Test(arguments: MemoryKind.allCases) func `memory is told a model`(_ kind: MemoryKind) throws {
        let part = try MemoryScenario(models: 5_000, kind: kind).measure()
        #expect(part.scenario == .memory)
        guard kind == .modelcast else { return #expect(part.figures.count == 1) }
        let encoded = try figure(part, "bytes a model, encoded")
        // Ten fields of ten letters, their names and one version.
        #expect((200.0...1_000).contains(encoded.value))
        let beyond = try figure(part, "bytes a model beyond its encoding")
        #expect(beyond.mark == .atMost(64) && beyond.baseline == nil)
        #expect(abs(try figure(part, "bytes a model, resident").value - encoded.value - beyond.value) < 0.001)
    }

    @Test func `the cost of an update is told for each number of models, and how it grows`() throws {
        let part = try GrowthScenario(sizes).measure { _ in }
        #expect(part.equalCopies == 2)
        #expect(part.figures.count == 4)
        #expect(part.figures.allSatisfy { $0.value > 0 && ($0.baseline?.ratio ?? 0) > 0 })
        #expect(part.figures.map(\.mark) == [nil, nil, .atMost(3), nil])
    }

    @Test func `what a limit costs is told, and copies with one hold what it says`() throws {
        let part = try LimitsScenario(sizes).measure { _ in }
        #expect(part.equalCopies == 3)
        #expect(part.figures.count == 3 && part.figures.allSatisfy { $0.mark != nil })
        #expect(part.figures.prefix(2).allSatisfy { $0.value > 0 && ($0.baseline?.ratio ?? 0) > 0 })
    }

    @Test func `what does not fit the memory is left out, and said so`() throws {
        var sizes = sizes
        sizes.growthModels = [100, 1_000_000_000_000]
        sizes.readModels = [100, 1_000_000_000_000]
        let growth = try GrowthScenario(sizes).measure { _ in }
        #expect(growth.figures.count == 1)
        #expect(growth.notes.contains { $0.contains("1,000,000,000,000 models were left out") })
        let reads = try ReadsScenario(sizes).measure { _ in }
        #expect(reads.notes.contains { $0.contains("1,000,000,000,000 models were left out") })
        #expect((reads.figures + reads.details).allSatisfy { !$0.name.contains("1,000,000,000,000") })
    }

    @Test func `every change of an observed model is told`() throws {
        let part = try ObserversScenario(sizes).measure { _ in }
        #expect(part.equalCopies == 2)
        let told = part.figures.filter { $0.name == "  changes told" }
        #expect(told.count == 2)
        // All models are observed: every update is told, but for those of one batch to one model.
        #expect((320...640).contains(told[1].value))
        #expect(told[0].value < told[1].value)
        #expect(part.figures.compactMap(\.mark) == [.atLeast(0.8)])
        #expect(try figure(part, "calls of observers, with 500 observers").value == told[1].value)
    }

    @Test func `a snapshot is opened, walked and held`() throws {
        let part = try SnapshotScenario(sizes).measure { _ in }
        #expect(part.equalCopies == 2)
        #expect(part.figures.compactMap(\.mark) == [.atMost(1_000), .atLeast(10_000_000)])
        let replaced = try figure(part, "records that were replaced while a snapshot was held").value
        // Updates to 2,000 models at random, about as many: some models have several.
        #expect((1_000...2_000).contains(replaced))
    }
}

/// The load of the scenarios, made from numbers.
@Suite struct NumberedModelTests {
    @Test func `ids look like UUIDs and are all different`() {
        let ids = Set((0..<10_000).map { NumberedModels.id($0) })
        #expect(ids.count == 10_000)
        let shape = NumberedModels.id(7).split(separator: "-").map(\.utf8.count)
        #expect(shape == [8, 4, 4, 4, 12])
    }

    @Test func `every update changes its model`() throws {
        var source = NumberedModels(fieldCount: 4, seed: 1)
        var fed = FedCache()
        try fed.fill(0..<100, from: &source)
        #expect(fed.cache.count(of: Workload.type) == 100)
        let told = Atomic(0)
        let observation = fed.cache.observe(
            .type(Workload.type), inline: { if !$0.isInitial { told.add($0.count, ordering: .relaxed) } })
        for _ in 0..<50 {
            let frame = try source.updates(64, of: 100)
            let summary = try fed.take(frame)
            #expect(source.touched.count == 64)
            #expect(summary == BatchSummary(changed: 64))
            #expect(told.exchange(0, ordering: .relaxed) == Set(source.touched).count)
        }
        observation.cancel()
    }

    @Test func `plain updates say the same as the batch`() throws {
        var source = NumberedModels(fieldCount: 4, seed: 2)
        var fed = FedCache()
        let other = LockedTexts()
        try fed.fill(0..<50, from: &source)
        for record in fed.cache.snapshot().records(of: Workload.type) {
            other.add(record.id, NumberedModels.texts(of: record))
        }
        for _ in 0..<20 {
            let frame = try source.updates(64, of: 50, isPlain: true)
            try fed.take(frame)
            other.apply(source.plain)
        }
        #expect(other.count == 50)
        for record in fed.cache.snapshot().records(of: Workload.type) {
            #expect(other.texts(of: record.id) == NumberedModels.texts(of: record))
        }
    }

    @Test func `a mixed load writes all kinds, and accounts and positions together`() throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "mixed", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Logger(label: "mixed") { _ in SwiftLogNoOpLogHandler() })
        let load = MixedLoad(models: 400)
        _ = try load.fill(publisher)
        for type in MixedLoad.types { #expect(publisher.cache.count(of: type) == 100) }
        let writes = try load.write(publisher, 20_000, seconds: 0.1)
        #expect(writes.merges + writes.replaces + writes.deletes + writes.transactions == 2_000)
        #expect(writes.merges > writes.replaces && writes.replaces > 0)
        #expect(writes.deletes > 0 && writes.transactions > 0)
        let snapshot = publisher.cache.snapshot()
        var changed = 0
        for account in snapshot.records(of: MixedLoad.account) {
            let total = account["total"]?.intValue
            #expect(total == snapshot[MixedLoad.position, account.id]?["total"]?.intValue)
            if total != 0 { changed += 1 }
        }
        #expect(changed > 0)
    }
}
