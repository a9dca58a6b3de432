import Logging
@_spi(CacheWriting) import ModelCache
import Modelcast
import TestSupport
import Testing

/// Everything that a publisher offers, called from queues and tasks at once.
@Suite(.timeLimit(.minutes(15)))
struct PublisherStressTests {
    @Test func `what many queues and tasks write and read is linearizable, model by model and cut by cut`() async {
        await StressRun.play("publisher") { seed in
            let publisher = try Stage.publisher()
            publisher.cache.startJournal()
            let clock = HistoryClock()
            let clients = (0..<8).map { PublisherClient($0, seed: seed, publisher, clock) }
            await Crew.run(clients, count: StressRun.share(of: clients.count))
            try Stage.check(clients, publisher)
            return Stage.operationCount(clients)
        }
    }
}
