import Foundation
import ModelJSON
import Modelcast
import ServiceLifecycle

/// The orders of a `modelcast publish`, as its command line gives them.
struct PublishPlan: Sendable {
    let type: String
    let idField: String
    let idType: IDType
    /// The paths of objects that are no groups of fields.
    let forms: [String: ObjectForm]
    /// Paths, `-` for standard input; at least one.
    let inputs: [String]
    let isWhole: Bool
    /// How many models a full data set may delete; nil for any number, unless it names no model or breaks off.
    let deleteLimit: DeleteLimit?
    let isFollowed: Bool
    let isStrict: Bool
    let subscriberCountMin: Int
    let endsWhenApplied: Bool
    /// The longest that each wait for subscribers or relays may take; nil for no limit.
    let timeout: Duration?
    /// When a model ends that has no word of it in its line.
    let expires: Expiry
}

/// Publishes the input on a thread of its own, beside the publisher that serves.
struct PublishFeed: Service {
    let publisher: Publisher
    let plan: PublishPlan

    /// The pause between two looks at the subscribers' reports or the relays' acknowledgements, in seconds.
    private static let lookInterval = 0.02
    /// The pause before the disk is tried again, in seconds.
    private static let retryInterval = 0.5
    /// How long relays may take to acknowledge what was published before the input failed.
    private static let failedLimit = Duration.seconds(10)

    /// Returns when the input is published, if the process ends by itself then. Otherwise returns when the service
    /// group shuts down.
    func run() async throws {
        if publisher.configuration.endpoints == nil {
            SystemdNotifier.ready("pushing to \(publisher.configuration.relays.joined(separator: ", "))")
        } else {
            let endpoints = try await publisher.boundEndpoints
            StandardError.write(line: "control \(endpoints.control) stream \(endpoints.stream)")
            SystemdNotifier.ready("serving at \(endpoints.control)")
        }
        let stop = StopFlag()
        defer { SystemdNotifier.stopping() }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await BlockingThread.run(named: "modelcast-feed") { try publishAll(stop) }
            if !endsByItself { try? await gracefulShutdown() }
        } onCancelOrGracefulShutdown: {
            stop.set()
        }
    }

    /// The process ends when the input is published and, where that is asked for, applied or acknowledged.
    private var endsByItself: Bool {
        plan.endsWhenApplied || (publisher.configuration.endpoints == nil && !plan.isFollowed)
    }

    private func publishAll(_ stop: StopFlag) throws {
        // Pushed batches are delivered only when acknowledged, so their counts are told however the input ends.
        defer { if let progress = publisher.pushProgress { tell(progress) } }
        for (index, input) in plan.inputs.enumerated() {
            if plan.isWhole || index == 0 {
                if index > 0 { try waitUntilApplied(stop) }
                try waitForSubscribers(stop)
            }
            guard !stop.isSet else { return try stopEarly(stop) }
            var run = InputRun(
                publisher: publisher, plan: plan, endsByItself: endsByItself, name: input == "-" ? "stdin" : input,
                stop: stop)
            defer { StandardError.write(line: run.summary) }
            let isComplete: Bool
            do {
                isComplete = try run.publish(InputFile(input, isFollowed: plan.isFollowed))
            } catch {
                // The lines before the failure are published, and pushed as well.
                try? waitUntilAcknowledged(stop, limit: plan.timeout ?? PublishFeed.failedLimit)
                throw error
            }
            try waitUntilDurable(stop)
            guard isComplete else { return try stopEarly(stop) }
        }
        if plan.endsWhenApplied { try waitUntilApplied(stop) }
        try waitUntilAcknowledged(stop, limit: plan.timeout)
    }

    /// Waits until the input is on disk, where that was asked for. The wait goes on while the disk is full.
    private func waitUntilDurable(_ stop: StopFlag) throws {
        guard publisher.configuration.durability == .beforeAcknowledge else { return }
        var isTold = false
        while true {
            let error = BlockingThread.wait { [publisher] in try await publisher.waitUntilDurable() }
            guard let error else { return }
            if stop.isSet { throw CommandFailure("stopped before everything was on disk: \(error)") }
            if !isTold { StandardError.write(line: "waiting for the disk: \(error)") }
            isTold = true
            Thread.sleep(forTimeInterval: PublishFeed.retryInterval)
        }
    }

    /// Waits until the relays have acknowledged everything. A stop before that is a failure, because something may be
    /// lost.
    private func waitUntilAcknowledged(_ stop: StopFlag, limit: Duration?) throws {
        let start = ContinuousClock.now
        while let progress = publisher.pushProgress, !progress.isAcknowledged {
            if let failure = progress.failure { throw CommandFailure("a relay refuses what is pushed: \(failure)") }
            let reason = progress.relays.compactMap(\.lastError).first.map { "; \($0)" } ?? ""
            // The last writes may be in no batch yet, and a relay may lack models that an earlier run has stored.
            let rest = progress.hasUnsent ? "the last writes" : "the models of earlier runs"
            let left = progress.unacknowledged > 0 ? "\(progress.unacknowledged) batches" : rest
            if stop.isSet { throw CommandFailure("stopped with \(left) unacknowledged\(reason)") }
            if let limit, ContinuousClock.now - start >= limit {
                // A relay that is busy runs.
                let isAnswered = reason.hasPrefix("; busy")
                let question = isAnswered ? "" : "; is a relay running at \(lagging(progress).joined(separator: ", "))?"
                throw CommandFailure("\(left) were not acknowledged after \(limit)\(reason)\(question)")
            }
            Thread.sleep(forTimeInterval: PublishFeed.lookInterval)
        }
    }

    /// The relays that have not acknowledged everything; all, where none of them is known to lag.
    private func lagging(_ progress: PushProgress) -> [String] {
        let relays = publisher.configuration.relays
        let lagging = zip(relays, progress.relays).filter { $1.unacknowledged > 0 || $1.lastError != nil }.map(\.0)
        return lagging.isEmpty ? relays : lagging
    }

    private func tell(_ progress: PushProgress) {
        for (relay, status) in zip(publisher.configuration.relays, progress.relays) {
            StandardError.write(
                line: "\(relay): \(status.acknowledged) batches acknowledged, \(status.unacknowledged) not")
        }
    }

    /// Ends a run that was stopped before its input had ended. One that was to end by itself has failed.
    private func stopEarly(_ stop: StopFlag) throws {
        try waitUntilAcknowledged(stop, limit: plan.timeout)
        if plan.endsWhenApplied { throw CommandFailure("stopped before every subscriber had applied everything") }
        if endsByItself { throw CommandFailure("stopped before all of the input was published") }
    }

    private func waitForSubscribers(_ stop: StopFlag) throws {
        guard plan.subscriberCountMin > 0 else { return }
        try wait(
            stop, until: { $0.liveCount >= plan.subscriberCountMin },
            failure: { audience, limit in
                "\(audience.liveCount) of \(plan.subscriberCountMin) subscribers were live after \(limit); "
                    + "do they connect to the control endpoint above?"
            })
    }

    /// Waits until every subscriber has reported everything as applied, and at least as many as were waited for. A
    /// subscriber that is silent for some seconds is forgotten: without the count it would pass for one that is done.
    private func waitUntilApplied(_ stop: StopFlag) throws {
        try wait(
            stop, until: { $0.isUpToDate && $0.upToDateCount >= plan.subscriberCountMin },
            failure: { audience, limit in
                let countMin = max(plan.subscriberCountMin, audience.subscribers.count)
                let lagging = audience.lagging.isEmpty ? "" : ", not \(audience.lagging.joined(separator: ", "))"
                let lost = countMin - audience.subscribers.count
                let silent = lost > 0 ? "; \(lost) were not heard of any more" : ""
                return "\(audience.upToDateCount) of \(countMin) subscribers had applied everything after "
                    + "\(limit)\(lagging)\(silent)"
            })
    }

    private func wait(
        _ stop: StopFlag, until isDone: (Audience) -> Bool, failure: (Audience, Duration) -> String
    ) throws {
        let start = ContinuousClock.now
        while !stop.isSet {
            let audience = publisher.audience
            if isDone(audience) { return }
            if let limit = plan.timeout, ContinuousClock.now - start >= limit {
                throw CommandFailure(failure(audience, limit))
            }
            Thread.sleep(forTimeInterval: PublishFeed.lookInterval)
        }
        try stopEarly(stop)
    }
}
