import ModelSync

/// The end of the socket thread of a subscriber or relay.
extension ReplicaLoop {
    /// Sends a relay's `bye`, closes all connections, and writes what the store does not have yet.
    func finish() throws {
        if case .relay(let relay, _) = machine {
            let now = clock.now()
            relay.stop(now: now)
            try carryOut(now: now)
        }
        links.close()
        keeper?.finish(now: clock.now())
    }
}
