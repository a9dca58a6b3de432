/// What can be measured on its own.
public enum BenchScenario: String, Codable, Sendable, CaseIterable {
    /// Updates applied a second, beside messages of raw libzmq.
    case throughput
    /// From publish to observer, beside raw libzmq.
    case latency
    /// Point reads while updates are applied.
    case reads
    /// Making the fields of an update, which the throughput does not contain.
    case fields
    /// A subscriber that is stopped and goes on: what it costs the publisher, and how it recovers.
    case recovery
    /// An observer that sleeps.
    case observer
    /// Joining with many models, beside the same bytes over raw libzmq.
    case join
    /// Many models from a store.
    case warmStart = "warm-start"
    /// Updates pushed to a relay and acknowledged.
    case push
    /// What a relay costs.
    case relay
    /// Models as Swift types: decoding, reading, changing.
    case models
}
