import ModelSync

/// The end of a subscriber or relay.
extension ReplicaLoop {
    /// Sends the word that a relay stops, closes all connections, and writes what the store has not got yet.
    func finish() throws {
        if case .relay(let relay, _) = machine {
            let now = Clocks.now()
            relay.stop(now: now)
            try carryOut(now: now)
        }
        links.close()
        keeper?.finish(now: Clocks.now())
    }
}
