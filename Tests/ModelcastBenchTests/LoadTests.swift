import Foundation
import Logging
@_spi(CacheWriting) import ModelCache
import Modelcast
import TestSupport
import Testing

@testable import ModelcastBench

/// Loads write to a publisher that does not serve: no socket is needed to see what they write.
@Suite(.timeLimit(.minutes(15))) struct LoadTests {
    private func publisher(_ name: String) throws -> Publisher {
        try Publisher(
            PublisherConfiguration(name: name, endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a load until `isDone`, and makes sure that it ends.
    private func run(_ load: any Load, on publisher: Publisher, until isDone: (LoadGauge) -> Bool) async throws {
        let gauge = LoadGauge()
        async let running: Void = Blocking.run(named: "load") { try load.run(publisher, gauge: gauge) }
        let isThere = await eventually { isDone(gauge) }
        gauge.stop()
        try await running
        #expect(isThere)
    }

    @Test func `the host load publishes this process`() async throws {
        let publisher = try publisher("host")
        let id = "\(ProcessInfo.processInfo.processIdentifier)"
        try await run(HostLoad(), on: publisher) { _ in publisher.cache["Process", id] != nil }
        let process = try #require(publisher.cache["Process", id])
        #expect((process["threads"]?.intValue ?? 0) >= 1)
        #expect(publisher.cache["Host", "local"]?["memory_kb"]?.intValue ?? 0 > 0)
        #expect(publisher.cache.count(of: "Processor") == ProcessInfo.processInfo.processorCount)
        #expect(publisher.cache["NetworkInterface", "lo"] != nil)
    }

    @Test func `a replayed file is merged line by line, again and again`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("lines.ndjson")
        try ReplayFile.write(to: path, events: 500)
        let publisher = try publisher("shop")
        let load = ReplayLoad(path: path, linesPerSecond: 1_000_000)
        // More than one round of the file: the second finds everything changed by the first.
        try await run(load, on: publisher) { $0.published > 4_000 }
        #expect(publisher.cache.count(of: "Product") == 400)
        #expect(publisher.cache.count(of: "Courier") == 30)
        #expect(publisher.cache["Product", "sku-0"]?["price_cents"]?.intValue != nil)
    }

    @Test func `the same seed makes the same file`() throws {
        let folder = try TemporaryDirectory()
        let paths = ["a", "b", "c"].map { folder.path($0) }
        for (path, seed) in zip(paths, [1, 1, 2]) { try ReplayFile.write(to: path, seed: UInt64(seed), events: 100) }
        let files = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(files[0] == files[1])
        #expect(files[0] != files[2])
    }

    @Test func `publishers under stress write the same models, and only ids of their plan`() async throws {
        var joined: [UInt64] = []
        var records: [[CellRecord]] = []
        for index in 0..<2 {
            let publisher = try publisher("publisher-\(index)")
            let plan = StressPlan(index: index, models: 50, rate: 1_000_000)
            try await run(StressLoad(plan: plan), on: publisher) { $0.published > 2_000 }
            let planned = Dictionary(uniqueKeysWithValues: plan.ids.map { ($0.type, Set($0.ids)) })
            for type in publisher.cache.types {
                for record in publisher.snapshot(of: type) {
                    #expect(planned[type]?.contains(record.id) ?? false, "\(type) \(record.id)")
                }
            }
            records.append(publisher.snapshot(of: StressPlan.sharedType))
            joined.append(publisher.cache.digest(of: StressPlan.sharedType))
        }
        #expect(!Set(records[0].map(\.id)).isDisjoint(with: records[1].map(\.id)))
        // Two copies of one type that differ become equal by the join, in either order.
        let caches = [records, records.reversed()].map { order in
            let cache = ModelCache()
            for copy in order { cache.commit { commit in for record in copy { commit.join(record, type: "Shared") } } }
            return cache.digest(of: "Shared")
        }
        #expect(joined[0] != joined[1])
        #expect(caches[0] == caches[1])
    }
}

extension Publisher {
    /// All records of a type, tombstones included.
    fileprivate func snapshot(of type: String) -> [CellRecord] {
        var records: [CellRecord] = []
        cache.snapshot().forEach(type: type, includingTombstones: true) {
            records.append($0)
            return true
        }
        return records
    }
}
