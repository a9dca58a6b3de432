extension Trial {
    /// Starts a process that makes these tries, one after the other, and waits for its end.
    /// - Returns: a report for each try.
    /// - Throws: ``BenchError`` when the process ends early, or is silent for longer than a try may take.
    func attempt(_ attempts: [AccessAttempt], as name: String) async throws -> [AttemptReport] {
        guard let security else { throw BenchError("\(name) has no key to try anything with") }
        let servers = Dictionary(attempts.map { ($0.endpoint, $0.server) }) { first, _ in first }
        let task = WorkerTask.attempt(
            name: name, attempts: attempts, keys: security.keys(of: name, connectingTo: servers))
        let child = try Child<WorkerOrder, AttemptReport>(name: name, launch: launch(name, task))
        var reports: [AttemptReport] = []
        do {
            for _ in attempts { reports.append(try await child.next(within: AttemptWorker.usualLimit * 2)) }
        } catch {
            await child.end()
            throw error
        }
        await child.end()
        return reports
    }
}
