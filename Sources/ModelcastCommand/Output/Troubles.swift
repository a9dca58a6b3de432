import Modelcast
import Synchronization

/// Tells a person why publishers are not live: one line when something goes wrong with a publisher, one when it is live
/// again.
final class Troubles: Sendable {
    /// The messages of the library for which there is a line with the endpoint here. A log leaves them out.
    static let toldMessages: Set = [
        "sender speaks another protocol version", "no trust between this process and a sender",
        "a sender cannot be reached",
    ]

    private struct Trouble {
        var since = ContinuousClock.now
        var nextLook = ContinuousClock.now + Troubles.grace
        var pause = Troubles.grace
        /// The last line that was told.
        var told: String?
    }

    private let endpoints: [String]
    private let security: Security?
    private let troubles: Mutex<[Trouble?]>

    /// How long a publisher may be in trouble before a line is written.
    private static let grace = Duration.seconds(1)
    private static let pauseMax = Duration.seconds(30)

    init(_ configuration: SubscriberConfiguration) {
        endpoints = configuration.publishers
        security = configuration.security
        troubles = Mutex(Array(repeating: nil, count: endpoints.count))
    }

    /// Looks at the state of the publishers, and tells what has been wrong with one for a while.
    func look(_ status: SubscriberStatus) {
        for (index, sender) in status.senders.enumerated() where index < endpoints.count {
            if sender.state == .live {
                let told = troubles.withLock { troubles in
                    defer { troubles[index] = nil }
                    return troubles[index]?.told
                }
                if told != nil { StandardError.write(line: "\(endpoints[index]) is live") }
            } else if let error = sender.lastError, isDue(index) {
                tell(error.contains(endpoints[index]) ? error : "\(endpoints[index]) \(error)", of: index)
            }
        }
    }

    private func isDue(_ index: Int) -> Bool {
        troubles.withLock { troubles in
            var trouble = troubles[index] ?? Trouble()
            defer { troubles[index] = trouble }
            guard ContinuousClock.now >= trouble.nextLook else { return false }
            trouble.pause = min(trouble.pause * 2, Troubles.pauseMax)
            trouble.nextLook = .now + trouble.pause
            return true
        }
    }

    private func tell(_ line: String, of index: Int) {
        let isNews = troubles.withLock { troubles in
            // The publisher has become live meanwhile.
            guard troubles[index] != nil else { return false }
            guard troubles[index]?.told != line else { return false }
            troubles[index]?.told = line
            return true
        }
        if isNews { StandardError.write(line: "\(line); trying again until it is live") }
    }

    /// A failure that says what is wrong with each publisher that is not live, after probing their endpoints.
    func failure(_ status: SubscriberStatus, after limit: Duration) async -> CommandFailure {
        let waiting = endpoints.enumerated().filter { index, _ in
            index >= status.senders.count || status.senders[index].state != .live
        }
        let lines = await withTaskGroup(of: (Int, String).self) { group in
            for (index, endpoint) in waiting {
                let sender = index < status.senders.count ? status.senders[index] : nil
                group.addTask {
                    if let fault = await EndpointProbe.diagnose(endpoint, self.security) {
                        return (index, fault.reason)
                    }
                    let reason = sender?.lastError.map { ": \($0)" } ?? ""
                    let state = sender?.state ?? .connecting
                    return (index, "\(endpoint) answers, but is still \(state.rawValue)\(reason)")
                }
            }
            var lines: [(Int, String)] = []
            for await line in group { lines.append(line) }
            return lines.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return CommandFailure("not live after \(limit): \(lines.joined(separator: "; "))")
    }
}
