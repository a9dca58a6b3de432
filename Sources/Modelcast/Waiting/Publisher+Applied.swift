import ModelSync
import ModelWire

extension Publisher {
    /// Names everything that this publisher has written so far, for ``Subscriber/waitUntilApplied(_:timeout:)``.
    /// - Complexity: O(*topics*), under the lock that writes take, too.
    public var writeToken: WriteToken {
        token { $0.writtenPositions }
    }

    /// Names what this publisher has written to these models so far, and to others on their topics.
    package func writeToken(of models: [(type: String, id: String)]) -> WriteToken {
        token { $0.writtenPositions(of: models) }
    }

    private func token(_ positions: (Origin) -> [(topic: Topic, sequence: UInt64)]) -> WriteToken {
        core.withLock { core in
            WriteToken(origin: configuration.name, incarnation: core.origin.incarnation, positions(core.origin))
        }
    }

    /// Waits until some subscribers have applied everything that was written before the call.
    ///
    /// Subscribers and relays report once a second, and when their state changes; who has not reported a topic of this
    /// publisher does not count. Of what is pushed only the relays are known, not who listens to them.
    /// - Parameters:
    ///   - count: how many have to have it.
    ///   - timeout: how long to wait at most.
    /// - Returns: the names of those that have it, sorted: `count` or more.
    /// - Throws: ``ModelcastError`` with code `timeout` when that takes longer, which names who has it and who has not;
    ///   `stopped` when the publisher ends before; `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitUntilApplied(by count: Int, timeout: Duration = .seconds(10)) async throws -> [String] {
        let token = writeToken
        let names = try await applied.wait(on: self, limit: timeout) { core -> Result<[String], any Error>? in
            let names = core.origin.names(havingApplied: token).have
            if names.count >= count { return .success(names) }
            guard core.isStopped else { return nil }
            return .failure(
                ModelcastError(.stopped, "the publisher stopped before \(count) subscribers had applied everything"))
        }
        guard let names else { throw lateness(token, count, timeout) }
        return names
    }

    private func lateness(_ token: WriteToken, _ count: Int, _ limit: Duration) -> ModelcastError {
        let names = core.withLock { $0.origin.names(havingApplied: token) }
        func list(_ names: [String]) -> String { names.isEmpty ? "nobody" : names.joined(separator: ", ") }
        return ModelcastError(
            .timeout,
            "\(names.have.count) of \(count) subscribers had applied everything after \(limit): \(list(names.have)); "
                + "not \(list(names.lack))")
    }
}

extension Origin {
    /// The names of the peers that have reported what a token names as applied, and of those that have not, sorted.
    fileprivate func names(havingApplied token: WriteToken) -> (have: [String], lack: [String]) {
        let reporting = connectedPeers.filter { $0.report != nil }
        let have = reporting.filter { peer in
            let wanted = token.positions.filter { peer.isInterested(in: $0.topic) }
            return !wanted.isEmpty
                && wanted.allSatisfy {
                    peer.applied($0.topic, origin: token.origin, incarnation: token.incarnation) >= $0.sequence
                }
        }
        let names = Set(have.map(\.name))
        return (have.map(\.name).sorted(), reporting.map(\.name).filter { !names.contains($0) }.sorted())
    }
}
