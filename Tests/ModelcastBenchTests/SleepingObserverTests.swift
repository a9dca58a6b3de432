@_spi(CacheWriting) import ModelCache
import ModelWire
import Modelcast
import TestSupport
import Testing

@testable import ModelcastBench

/// What counts as told, for the observer that `observer` puts to sleep.
struct SleepingObserverTests {
    private let cache = ModelCache()

    private func commit(_ values: [(stamp: Stamp, value: String)]) throws {
        var writer = BatchWriter()
        for (stamp, value) in values {
            try writer.append(.merge, stamp: stamp, id: "1", fields: ["a": .text(value)])
        }
        try cache.commit(writer, type: Workload.type)
    }

    @Test func `an observer holds all where a batch wrote a value and the old one again, and lacks news`() throws {
        let observer = SleepingObserver()
        observer.wake()
        try commit([(1, "old")])
        observer.begin(cache.observe(.type(Workload.type), inline: { observer.take($0) }))
        #expect(observer.holdsAll(of: cache))
        try commit([(2, "new"), (3, "old")])
        #expect(observer.changeCount == 0)
        #expect(observer.holdsAll(of: cache))
        try commit([(4, "new")])
        #expect(observer.changeCount == 1)
        #expect(observer.holdsAll(of: cache))
        observer.end()
        try commit([(5, "unheard")])
        #expect(!observer.holdsAll(of: cache))
    }
}
