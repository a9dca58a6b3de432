import Logging
import ModelCache
import ModelRecord
import ModelSync
import ModelWire

extension Publisher {
    /// Takes back the models that an earlier start of this publisher has published, from relays that hold them: for one
    /// that ``startsAnew``, because it has no store or the file was damaged, so that it can delete what is gone.
    ///
    /// Call it before the first write. Every relay is asked, and one must answer. Of each model only what this name has
    /// written itself is taken; what others have written is theirs.
    /// - Parameters:
    ///   - relays: their control endpoints. A relay that has just started is asked until it is ready.
    ///   - timeout: for each relay.
    /// - Returns: how many models and tombstones were taken back, one of which two relays hold different parts twice.
    /// - Throws: ``ModelcastError`` of the last relay when none answers; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public func recover(from relays: [String], timeout: Duration = .seconds(10)) async throws -> Int {
        var (count, answers) = (0, 0)
        var last: (any Error)?
        var types: Set<String> = []
        // Once, for each later start makes every replica ask for everything.
        defer { core.withLock { $0.origin.resume(types.sorted(), now: Clocks.now()) } }
        for relay in relays {
            do {
                let copy = try await RelayCopy.taken(from: relay, timeout: timeout, security: configuration.security)
                for (type, adopted) in adopt(copy) {
                    types.insert(type)
                    count += adopted
                }
                answers += 1
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.warning("nothing was recovered from \(relay): \(error)")
                last = error
            }
        }
        guard answers > 0 else {
            throw last ?? ModelcastError(.configuration, "no relay was named to recover from")
        }
        logger.info(
            "publisher has recovered its models",
            metadata: ["origin": "\(configuration.name)", "models": "\(count)", "relays": "\(answers)"])
        return count
    }

    /// - Returns: how many models of each type were not here.
    private func adopt(_ copy: RelayCopy) -> [String: Int] {
        let now = Clocks.now()
        return core.withLock { core in
            for heads in copy.heads { core.origin.adopt(heads, now: now) }
            var counts: [String: Int] = [:]
            for (type, records) in copy.records {
                for record in records where core.origin.adopt(record, type: type, now: now) {
                    counts[type, default: 0] += 1
                }
            }
            return counts
        }
    }
}

/// What a relay holds.
private struct RelayCopy: Sendable {
    var heads: [Heads] = []
    var records: [String: [CellRecord]] = [:]

    /// Asks a relay for everything; one that has just started is waited for.
    static func taken(
        from endpoint: String, timeout: Duration, security: Security?
    ) async throws -> RelayCopy {
        let client = try ControlClient(endpoint: endpoint, timeout: timeout, security: security)
        return try await SocketThread.run(named: "modelcast-recover") { cancellation in
            var connection = try ControlConnection(client: client, cancellation)
            return try RelayCopy(&connection)
        }
    }

    private init(_ connection: inout ControlConnection) throws {
        let welcome = try connection.hello()
        heads = welcome.heads
        var records: [String: [CellRecord]] = [:]
        // Everything: after a restart of the relay some of what it holds is in no head.
        try connection.snapshot([Topic.dataPrefix]) { type, chunk in records[type, default: []] += chunk }
        self.records = records
    }
}
