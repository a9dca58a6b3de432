import Foundation
import ModelRecord
import Modelcast
import ModelcastConsole
import ServiceLifecycle

/// The orders of a `modelcast subscribe`, as its command line gives them.
struct SubscribePlan: Sendable {
    /// The ids of the models to print; nil for all.
    let ids: Set<ExactText>?
    let printsChanges: Bool
    /// A model that leaves the copy for its limits is a change, too.
    var printsEvictions = false
    let endsWhenLive: Bool
    let printsModels: Bool
    let printsDigest: Bool
    let timeout: Duration?
}

/// Prints the changes of a subscriber's copy, tells a person what is wrong with publishers, and prints the state at the
/// end.
struct SubscribePrinter: Service {
    let subscriber: Subscriber
    let plan: SubscribePlan
    private let console: Console?
    private let output = ChangeOutput()

    /// The pause between two looks at the state of the publishers.
    private static let lookInterval = Duration.milliseconds(25)

    /// - Parameter console: what has to answer before the process is ready; nil where nothing has to.
    init(subscriber: Subscriber, plan: SubscribePlan, console: Console? = nil) {
        self.subscriber = subscriber
        self.plan = plan
        self.console = console
    }

    /// Returns when all publishers are live, if that was asked for, when the reader of the output has gone, or when the
    /// service group shuts down.
    /// - Throws: `CommandFailure` when publishers were not live within the time limit or at a stop, or the output
    ///   cannot be written.
    func run() async throws {
        let (output, plan) = (output, plan)
        // An observer costs each commit something.
        let observation =
            plan.printsChanges
            ? subscriber.observe(.everything, evictions: plan.printsEvictions, on: output.queue) {
                output.write($0, ids: plan.ids)
            } : nil
        defer {
            observation?.cancel()
            SystemdNotifier.stopping()
        }
        // A console that cannot be bound ends the process with its own error.
        if let console { _ = try await console.boundPort }
        SystemdNotifier.ready("connecting to \(subscriber.configuration.publishers.joined(separator: ", "))")
        // The port that the system has chosen is known to nobody else.
        if subscriber.configuration.control?.hasSuffix("*") ?? false {
            StandardError.write(line: "control \(try await subscriber.boundControl)")
        }
        try await watch()
        output.beginEnd()
        await output.settle(through: subscriber.snapshot().commitNumber)
        observation?.cancel()
        try await printState()
    }

    /// Returns when it is time to print the state.
    private func watch() async throws {
        let start = ContinuousClock.now
        let troubles = Troubles(subscriber.configuration)
        var wasLive = false
        var liveCount = 0
        while !Task.isShuttingDownGracefully, !Task.isCancelled, !output.isClosed {
            let status = subscriber.status
            if status.isLive {
                if plan.endsWhenLive { return try requireBelief(status) }
                wasLive = true
            }
            if !wasLive, let limit = plan.timeout, ContinuousClock.now - start >= limit {
                throw await troubles.failure(status, after: limit)
            }
            let count = status.senders.count { $0.state == .live }
            if count != liveCount {
                liveCount = count
                SystemdNotifier.status("\(count) of \(status.senders.count) publishers are live")
            }
            troubles.look(status)
            try? await Task.sleep(for: SubscribePrinter.lookInterval)
        }
        // A part of the state must not pass for all of it.
        if plan.endsWhenLive, !output.isClosed {
            throw CommandFailure("stopped before every publisher was live: the state was not complete")
        }
    }

    /// Throws where something was denied: that is missing here, and the rest must not pass for all.
    private func requireBelief(_ status: SubscriberStatus) throws {
        let count = status.counters[.deniedMessages]
        guard count > 0 else { return }
        let reason = status.senders.lazy.compactMap(\.lastError).first { $0.contains("may not speak") }
        throw CommandFailure(
            "not all that was told is here, as the grants do not let a sender say it"
                + (reason.map { ": \($0)" } ?? "; the log names its key"))
    }

    private func printState() async throws {
        let snapshot = subscriber.snapshot()
        if plan.printsModels {
            for type in snapshot.types.sorted() {
                var records: [(id: String, record: CellRecord)] = []
                snapshot.forEach(type: type) { record in
                    let id = record.id
                    if plan.ids?.contains(ExactText(id)) ?? true { records.append((id, record)) }
                    return true
                }
                records.sort { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
                let sorted = records.map(\.record)
                await output.onQueue { output in output.write(sorted, of: type) }
            }
        }
        if plan.printsDigest {
            let lines = subscriber.cache.types.sorted().map { type in
                digestLine(type, count: subscriber.cache.count(of: type), digest: subscriber.cache.digest(of: type))
            }
            await output.onQueue { output in
                for line in lines { output.write(line: line) }
            }
        }
        await output.onQueue { output in output.flush() }
        if let failure = output.failure { throw failure }
    }
}

/// `TYPE COUNT DIGEST`, the digest with 16 hexadecimal digits; the count is left out where it is not known.
func digestLine(_ type: String, count: Int?, digest: UInt64) -> String {
    let digits = String(digest, radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.count) + digits
    return count.map { "\(type) \($0) \(padded)" } ?? "\(type) \(padded)"
}
