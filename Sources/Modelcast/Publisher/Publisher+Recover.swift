import Logging
import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Synchronization

extension Publisher {
    /// Takes back the models that an earlier start of this publisher has published, from relays that hold them. For a
    /// publisher that ``startsAnew``, because it has no store or the file was damaged: it can then delete models that
    /// are gone. And for one whose store ``mayLackWrites``.
    ///
    /// Call it before the first write. Every relay is asked, and at least one must answer. Of each model only the
    /// fields that this origin has written are taken back.
    /// - Parameters:
    ///   - relays: the control endpoints. A relay that has just started is asked again until it is ready.
    ///   - timeout: the limit for one answer of a relay.
    /// - Returns: how many models and tombstones were taken back. A model of which two relays hold different parts
    ///   counts twice.
    /// - Throws: ``ModelcastError`` of the last relay when none answers; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public func recover(from relays: [String], timeout: Duration = .seconds(10)) async throws -> Int {
        var (count, answers) = (0, 0)
        var last: (any Error)?
        var types: Set<String> = []
        // Called once at the end, as each later start makes every replica ask for everything.
        defer { core.withLock { $0.origin.resume(types.sorted(), now: clock.now()) } }
        for relay in relays {
            do {
                let copy = try await RelayCopy.taken(from: relay, timeout: timeout, configuration)
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
        if answers == relays.count, Set(relays).isSuperset(of: configuration.relays) {
            // A relay that has not answered, or was not asked, may hold writes that the others do not.
            lacksWrites.store(false, ordering: .relaxed)
            core.withLock { $0.keeper?.noteTakenBack(configuration.durability) }
        }
        logger.info(
            "publisher has recovered its models",
            metadata: ["origin": "\(configuration.name)", "models": "\(count)", "relays": "\(answers)"])
        return count
    }

    /// Takes the models of a copy over.
    /// - Returns: how many models of each type have changed by that.
    private func adopt(_ copy: RelayCopy) -> [String: Int] {
        let now = clock.now()
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

/// The heads and records that a relay holds.
private struct RelayCopy: Sendable {
    var heads: [Heads] = []
    var records: [String: [CellRecord]] = [:]

    /// Asks a relay for everything. Waits for one that has just started.
    static func taken(
        from endpoint: String, timeout: Duration, _ configuration: PublisherConfiguration
    ) async throws -> RelayCopy {
        if let security = configuration.security, let access = security.access,
            let key = security.serverKey(at: endpoint),
            access.grantee(of: key)?.rights.isRelay != true
        {
            throw ModelcastError(
                .configuration,
                "the grants do not let the key of \(endpoint) hand on what others wrote, so nothing is taken back from "
                    + "it: grant it relay, or name another")
        }
        let client = try ControlClient(
            endpoint: endpoint, timeout: timeout, security: configuration.security, transport: configuration.transport)
        return try await SocketThread.run(named: "modelcast-recover") { cancellation in
            var connection = try ControlConnection(client: client, cancellation)
            return try RelayCopy(&connection)
        }
    }

    private init(_ connection: inout ControlConnection) throws {
        let welcome = try connection.hello()
        heads = welcome.heads
        var records: [String: [CellRecord]] = [:]
        // The snapshot is of all types, as after a restart of the relay some of them are in no head.
        try connection.snapshot([Topic.dataPrefix]) { type, chunk in records[type, default: []] += chunk }
        self.records = records
    }
}
