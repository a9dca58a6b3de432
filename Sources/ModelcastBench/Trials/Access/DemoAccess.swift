import Modelcast

/// The rights of the demo's processes, and the tries of three beside them: a job with a grant of its own, an intruder
/// with a narrow one, and a stranger with none.
enum DemoAccess {
    /// A try that was made.
    struct Result: Sendable {
        let name: String
        let attempt: AccessAttempt
        let report: AttemptReport

        /// What was granted was done, and what was not was denied.
        var isRight: Bool { report.outcome == (attempt.isGranted ? .done : .denied) }

        fileprivate var text: String {
            if isRight { return "\(report.outcome.rawValue): \(report.text)" }
            return "NOT \(attempt.isGranted ? "DONE" : "DENIED"): \(report.text)"
        }
    }

    /// No process can be called `relay` in grants, as that is a right.
    static let relay = "relay-a"
    static let subscribers = (1...3).map { "subscriber-\($0)" }

    private static let typesOfHost = ["Host", "Processor", "NetworkInterface", "Disk", "Process"]
    private static let typesOfShop = ["Product", "Courier", "Order"]

    /// All processes, each with the rights that it needs and no others.
    static var members: [TrialSecurity.Member] {
        func line(_ name: String, _ rights: [String]) -> TrialSecurity.Member {
            TrialSecurity.Member(name: name, rights: rights.joined(separator: " "))
        }
        func publisher(_ name: String, _ types: [String]) -> TrialSecurity.Member {
            line(name, types.map { "publish:\($0)" } + ["origin=\(name)"])
        }
        let reads = (typesOfHost + typesOfShop).map { "subscribe:\($0)" }
        return [
            publisher("host", typesOfHost), publisher("shop", typesOfShop), line(relay, ["relay", "subscribe:*"]),
        ] + subscribers.map { line($0, reads) } + [
            line(TrialSecurity.asker, ["operate"]), publisher("job", ["Report"]), line("intruder", ["subscribe:Host"]),
            TrialSecurity.Member(name: "stranger", rights: nil),
        ]
    }

    // MARK: Trying

    /// Lets the three make their tries while the others work.
    /// - Throws: ``BenchError`` when a process of the demo does not answer.
    static func run(_ trial: Trial) async throws -> [Result] {
        let host = try await hostAtWork(in: trial)
        guard let relay = await trial.relays.first, let client = try await trial.client(of: host),
            let endpoints = Endpoints(host: host, relay: relay, stream: try await client.welcome().streamEndpoint)
        else { throw BenchError("host or relay is not bound") }
        var results: [Result] = []
        for (name, attempts) in plan(endpoints, held: host.report?.types ?? []) {
            let reports = try await trial.attempt(attempts, as: name)
            results += zip(attempts, reports).map { Result(name: name, attempt: $0, report: $1) }
        }
        return results
    }

    /// The publisher `host`, once it has published. There must be something to get before a denial says anything.
    private static func hostAtWork(in trial: Trial) async throws -> Trial.Member {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            try await trial.refresh()
            let host = await trial.publishers.first { $0.name == "host" }
            if let host, host.report?.types.contains(where: { $0.type == "Process" }) == true { return host }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError("host has published no process within 20 s")
    }

    private struct Endpoints {
        let host: String
        let relay: String
        /// The stream of `host` that brings every type.
        let stream: String

        init?(host: Trial.Member, relay: Trial.Member, stream: String) {
            guard let host = host.endpoint, let relay = relay.endpoint else { return nil }
            (self.host, self.relay, self.stream) = (host, relay, stream)
        }
    }

    /// The tries of each process.
    /// - Parameter held: the types that `host` has.
    private static func plan(
        _ endpoints: Endpoints, held: [WorkerReport.TypeState]
    ) -> [(name: String, attempts: [AccessAttempt])] {
        func read(_ action: AccessAttempt.Action, isGranted: Bool = false) -> AccessAttempt {
            AccessAttempt(action: action, server: "host", endpoint: endpoints.host, isGranted: isGranted)
        }
        func push(_ type: String, as origin: String, isGranted: Bool = false) -> AccessAttempt {
            AccessAttempt(
                action: .push(type: type, origin: origin), server: relay, endpoint: endpoints.relay,
                isGranted: isGranted)
        }
        func ask(_ type: String) -> AccessAttempt.Action {
            .ask(type: type, held: held.first { $0.type == type }?.models ?? 0)
        }
        return [
            ("job", [push("Report", as: "job", isGranted: true)]),
            (
                "intruder",
                [
                    read(ask("Host"), isGranted: true), read(ask("Process")), read(.listen(granted: "Host")),
                    read(.join(stream: endpoints.stream)), push("Host", as: "intruder"), push("Product", as: "shop"),
                ]
            ),
            ("stranger", [read(ask("Host")), read(.listen(granted: nil)), push("Report", as: "job")]),
        ]
    }

    // MARK: Lines for people

    /// The grants: a line for each process, without keys; one for several with the same rights.
    static func lines(of members: [TrialSecurity.Member]) -> [String] {
        var names: [String?: [String]] = [:]
        for member in members { names[member.rights, default: []].append(member.name) }
        var heads: [(name: String, rights: String)] = []
        for member in members {
            guard let sharing = names.removeValue(forKey: member.rights) else { continue }
            let isThis = sharing == [TrialSecurity.asker]
            heads.append(
                (
                    sharing.joined(separator: ", ") + (isThis ? " (this process)" : ""),
                    member.rights ?? "no line, so nothing is granted"
                ))
        }
        let width = (heads.map(\.name.count).max() ?? 0) + 2
        return heads.flatMap { head in
            wrapped(head.rights, to: 116 - width).enumerated().map { index, words in
                "  " + padded(index == 0 ? head.name : "", to: width) + words
            }
        }
    }

    /// The tries with their results, below each process and its rights, and a sum.
    static func lines(of results: [Result], _ members: [TrialSecurity.Member]) -> [String] {
        let width = (results.map(\.attempt.text.count).max() ?? 0) + 2
        var lines: [String] = []
        for (index, result) in results.enumerated() {
            if index == 0 || results[index - 1].name != result.name {
                let rights = members.first { $0.name == result.name }?.rights
                lines.append("\(result.name), \(rights.map { "granted \($0)" } ?? "with a key that no grant has")")
            }
            lines.append("  " + padded(result.attempt.text, to: width) + result.text)
        }
        let denied = results.filter { !$0.attempt.isGranted }
        return lines + ["\(denied.count) tries without a grant: \(denied.count(where: \.isRight)) denied"]
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
