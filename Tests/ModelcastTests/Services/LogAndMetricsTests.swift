import Logging
import Metrics
import ModelCache
import TestSupport
import Testing

@testable import ModelSync
@testable import Modelcast

/// What operators see: log messages and metrics.
@Suite(.timeLimit(.minutes(15))) struct LogAndMetricsTests {
    @Test func `of one kind sixty-four notices are logged at once and one a second after that, and all are counted`() {
        let log = RecordedLog()
        let notices = NoticeLog(log.makeLogger(), nil)
        func tell(_ kind: Notice.Kind, _ count: Int, atSecond second: UInt64) {
            let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: second * 1_000_000)
            for _ in 0..<count { notices.log(Notice(kind: kind, metadata: ["type": "a\nb"]), now: now) }
        }
        tell(.digestMismatch, 10_000, atSecond: 5)
        #expect(log.entries.count == 64)
        tell(.pushFailed, 1, atSecond: 5)
        #expect(log.entries.count == 65)
        tell(.digestMismatch, 10, atSecond: 7)
        #expect(log.entries.count == 67)
        let leftOut = log.entries.compactMap { $0.metadata["left_out"] }
        #expect(leftOut == ["\(10_000 - 64)"])
        #expect(log.entries.allSatisfy { $0.metadata["type"] == "a\\nb" })
        tell(.digestMismatch, 100, atSecond: 1_000)
        #expect(log.entries.count == 67 + 64)
    }

    @Test(arguments: [
        (Notice.Kind.versionMismatch, Logger.Level.warning), (.incarnationConflict, .warning),
        (.quarantined, .warning), (.clockRejected, .warning), (.senderLive, .info), (.senderSilent, .info),
        (.senderStopped, .info), (.holeFound, .debug), (.malformed, .debug),
    ])
    func `a notice is a constant message of its level, and what it is about is metadata`(
        kind: Notice.Kind, level: Logger.Level
    ) throws {
        let log = RecordedLog()
        let now = Moment(wallMilliseconds: 0, uptimeMicroseconds: 0)
        NoticeLog(log.makeLogger(), nil).log(Notice(kind: kind, metadata: ["sender": "p", "sequence": "7"]), now: now)
        let entry = try #require(log.entries.first)
        #expect(log.entries.count == 1)
        #expect(entry.level == level)
        #expect(entry.message == kind.rawValue)
        #expect(entry.metadata == ["sender": "p", "sequence": "7"])
    }

    @Test func `publisher and subscriber log with the logger that they are handed`() async throws {
        let log = RecordedLog()
        let publisher = try Publisher(
            PublisherConfiguration(name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: log.makeLogger())
        try await running(publisher) { endpoints in
            let configuration = SubscriberConfiguration(name: "reader", publishers: [endpoints.control])
            try await during(Subscriber(configuration, logger: log.makeLogger())) { try await $0.waitUntilLive() }
            let serving = try #require(log.entries.first { $0.message == "publisher is serving" })
            #expect(serving.metadata["origin"] == "accounts")
            #expect(serving.metadata["control"] == endpoints.control)
        }
        let live = try #require(log.entries.first { $0.message == "sender is live" })
        #expect(live.level == .info)
        #expect(live.metadata == ["sender": "accounts", "models": "0"])
        #expect(log.entries.allSatisfy { $0.level <= .info }, "\(log.entries)")
        // What differs from one process to the next stands in the metadata, not in the message.
        #expect(!log.entries.contains { $0.message.contains("accounts") || $0.message.contains("reader") })
    }

    @Test func `counters reach the metrics system once a second, as what has been added`() throws {
        let factory = RecordingFactory()
        var metrics = CounterMetrics(label: "modelcast_subscriber", name: "reader", factory: factory)
        var counters = Counters()
        func moment(_ milliseconds: UInt64) -> Moment {
            Moment(wallMilliseconds: 0, uptimeMicroseconds: milliseconds * 1_000)
        }
        counters[.appliedBatches] = 5
        metrics.update(counters, now: moment(1_000))
        counters[.appliedBatches] = 7
        metrics.update(counters, now: moment(1_500))
        #expect(factory.increments == ["modelcast_subscriber_applied_batches_total{name=reader}": [5]])
        counters[.holesFound] = 1
        metrics.update(counters, now: moment(2_000))
        #expect(
            factory.increments == [
                "modelcast_subscriber_applied_batches_total{name=reader}": [5, 2],
                "modelcast_subscriber_holes_found_total{name=reader}": [1],
            ])
        // One per counter, made once: no label or dimension comes from what is published.
        #expect(factory.made.count == Counters.Name.allCases.count)
        #expect(Set(factory.made).count == factory.made.count)
    }

    @Test func `models that cannot be read as a Swift type are counted in the metrics`() throws {
        let factory = RecordingFactory()
        let publisher = try makePublisher(nil)
        var metrics = CounterMetrics(
            label: "modelcast_publisher", name: "accounts", problems: publisher.problems, factory: factory)
        try publisher.merge("User", "1", ["age": 36])
        for _ in 0..<2 { #expect(publisher[lastGood: User.self, "1"] == nil) }
        metrics.update(Counters(), now: Moment(wallMilliseconds: 0, uptimeMicroseconds: 1_000_000))
        metrics.update(Counters(), now: Moment(wallMilliseconds: 0, uptimeMicroseconds: 2_000_000))
        #expect(factory.increments == ["modelcast_publisher_model_problems_total{name=accounts}": [1]])
    }
}

/// Keeps what counters are incremented by; it has nothing but counters.
private final class RecordingFactory: MetricsFactory {
    private struct Contents {
        var made: [String] = []
        var increments: [String: [Int64]] = [:]
    }

    private let contents = Guarded(Contents())

    /// Each counter that was made, with its dimensions.
    var made: [String] { contents.withLock { $0.made } }
    var increments: [String: [Int64]] { contents.withLock { $0.increments } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let name = "\(label){\(dimensions.map { "\($0)=\($1)" }.joined(separator: ","))}"
        contents.withLock { $0.made.append(name) }
        return Recorder(factory: self, name: name)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Recorder: CounterHandler {
        private let factory: RecordingFactory
        private let name: String

        init(factory: RecordingFactory, name: String) {
            self.factory = factory
            self.name = name
        }

        func increment(by amount: Int64) {
            factory.contents.withLock { $0.increments[name, default: []].append(amount) }
        }

        func reset() {}
    }
}
