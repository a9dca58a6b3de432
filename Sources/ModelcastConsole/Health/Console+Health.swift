import Modelcast

extension Console {
    /// How long a round of a service's thread may take, and wait. Threads wake at least once a second, so this is a
    /// thread that hangs and not one that has much to do.
    private static let roundMax = Duration.seconds(30)

    /// Whether the threads of the services turn. Asks nothing of anybody else: a process is not killed because another
    /// one is gone.
    func livenessChecks() -> [HealthCheck] {
        subjects.map { subject in
            HealthCheck(
                name: "\(subject.kind) \(subject.name) turns", problem: Console.problem(of: subject.pulse.phase))
        }
    }

    /// The problem of a thread that hangs; nil where it turns, has not begun, or has ended in good order.
    static func problem(of phase: LoopPulse.Phase) -> String? {
        guard case .turning(let ago) = phase, phase.hangs(for: roundMax) else { return nil }
        return "its thread has not turned for \(ago.components.seconds) s; restart the process"
    }

    /// Whether readers may rely on the copies.
    func readinessChecks() -> [HealthCheck] { readinessChecks(refresh()) }

    /// Whether readers may rely on the copies, as they were at these looks.
    func readinessChecks(_ looks: [ConsoleLook]) -> [HealthCheck] {
        livenessChecks() + looks.flatMap { readinessChecks(of: $0) }
    }

    private func readinessChecks(of look: ConsoleLook) -> [HealthCheck] {
        let subject = look.subject
        var checks = [running(subject)]
        if let listening = look.state.listening {
            // Its first status has not come.
            if listening.senders.count < subject.senderCount {
                checks.append(HealthCheck(name: "\(subject.name) listens", problem: "it has not begun to"))
            }
            checks += listening.senders.map { check(of: $0, look) }
            let stale = look.watch.stale(for: configuration.staleAfter, now: look.now)
            checks.append(
                HealthCheck(
                    name: "streams of \(subject.name) are fresh",
                    problem: stale.isEmpty ? nil : Console.text(of: stale, configuration.staleAfter)))
        }
        if case .publisher(let publisher) = subject, let progress = publisher.pushProgress {
            checks.append(HealthCheck(name: "\(subject.name) pushes", problem: progress.failure))
        }
        if let problem = look.state.store?.problem {
            checks.append(HealthCheck(name: "store of \(subject.name) takes writes", problem: problem))
        }
        return checks
    }

    private func running(_ subject: ConsoleSubject) -> HealthCheck {
        let problem: String? =
            switch subject.pulse.phase {
            case .notBegun: "it has not begun"
            case .ended: "it has stopped"
            case .turning: nil
            }
        return HealthCheck(name: "\(subject.kind) \(subject.name) runs", problem: problem)
    }

    /// A sender that was live may be away for a while; one that never was has not brought its models yet.
    private func check(of sender: SenderStatus, _ look: ConsoleLook) -> HealthCheck {
        let name = sender.name.isEmpty ? "sender \(sender.sender.index + 1)" : sender.name
        var problem: String?
        if !sender.wasLive {
            problem = "its models are not here yet (\(sender.state.rawValue))"
        } else if case let outage = look.watch.outage(of: sender, now: look.now),
            outage > configuration.staleAfter
        {
            problem = "not live for \(outage.components.seconds) s (\(sender.state.rawValue))"
        }
        if let text = problem, let error = sender.lastError { problem = "\(text): \(error)" }
        return HealthCheck(name: "\(look.subject.name) hears \(name)", problem: problem)
    }

    private static func text(of stale: [(origin: String, streams: Int)], _ limit: Duration) -> String {
        let named = stale.prefix(10).map { "\($0.origin) (\($0.streams) \($0.streams == 1 ? "stream" : "streams"))" }
        let more = stale.count > named.count ? " and \(stale.count - named.count) more" : ""
        return "nothing fresh for more than \(limit.components.seconds) s of \(named.joined(separator: ", "))\(more)"
    }
}
