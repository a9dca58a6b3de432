import ModelCache
import ModelRecord
public import Modelcast

/// A service of this process that a ``Console`` shows.
public enum ConsoleSubject: Sendable {
    /// A publisher: whether it runs, its peers, its clock and its store.
    case publisher(Publisher)
    /// A subscriber: also whether what it listens to is fresh.
    case subscriber(Subscriber)
    /// A relay: all of these.
    case relay(Relay)

    /// The name of the service.
    var name: String {
        switch self {
        case .publisher(let publisher): publisher.configuration.name
        case .subscriber(let subscriber): subscriber.configuration.name
        case .relay(let relay): relay.configuration.name
        }
    }

    /// The word for its kind, as labels and checks have it.
    var kind: String {
        switch self {
        case .publisher: "publisher"
        case .subscriber: "subscriber"
        case .relay: "relay"
        }
    }

    /// The copy that the service keeps.
    var cache: ModelCache {
        switch self {
        case .publisher(let publisher): publisher.cache
        case .subscriber(let subscriber): subscriber.cache
        case .relay(let relay): relay.cache
        }
    }

    /// Waits until the copy has what a token names.
    /// - Throws: ``ModelcastError`` where it does not come to have it in time.
    func waitUntilApplied(_ token: WriteToken, timeout: Duration) async throws {
        switch self {
        case .publisher(let publisher):
            // Its own writes are in its copy when they return.
            guard token.origin == publisher.configuration.name else {
                throw ModelcastError(.configuration, "\(name) is a publisher, and has only what it has written itself")
            }
        case .subscriber(let subscriber): try await subscriber.waitUntilApplied(token, timeout: timeout)
        case .relay(let relay): try await relay.waitUntilApplied(token, timeout: timeout)
        }
    }

    /// The model as it is, brought back where it is not in the copy of a subscriber that does not hold all; nil where
    /// it does not exist.
    /// - Throws: ``ModelcastError`` where its senders have not answered in time.
    func fetch(_ type: String, _ id: String, timeout: Duration) async throws -> CellRecord? {
        guard case .subscriber(let subscriber) = self else { return cache[type, id] }
        return try await subscriber.fetch(type, id, timeout: timeout)
    }

    /// Compares the copy with what one of the senders holds.
    func verify(againstSenderAt index: Int) async throws -> [Verification] {
        switch self {
        case .publisher: throw ModelcastError(.configuration, "\(name) is a publisher, and listens to nobody")
        case .subscriber(let subscriber): try await subscriber.verify(againstSenderAt: index)
        case .relay(let relay): try await relay.verify(againstSenderAt: index)
        }
    }

    /// The sign of life of the service's thread.
    package var pulse: LoopPulse {
        switch self {
        case .publisher(let publisher): publisher.pulse
        case .subscriber(let subscriber): subscriber.pulse
        case .relay(let relay): relay.pulse
        }
    }

    /// How many senders the service is to listen to.
    var senderCount: Int {
        switch self {
        case .publisher: 0
        case .subscriber(let subscriber): subscriber.configuration.publishers.count
        case .relay(let relay): relay.configuration.publishers.count
        }
    }

    /// The senders and streams that a service listens to.
    struct Listening {
        let senders: [SenderStatus]
        let streams: [StreamStatus]
    }

    /// The state of a service, read once.
    struct State {
        /// Nil for a publisher, which listens to nobody.
        var listening: Listening?
        /// Nil where there is no store.
        var store: WriteBehindStatus?
        /// Nil for a subscriber, which serves nobody.
        var peers: [Peer]?
        /// Nil but for a publisher.
        var publisher: PublisherStatus?
        /// Nil but for a subscriber.
        var fetches: FetchCounts?
    }

    /// The state of the service at this moment.
    var state: State {
        switch self {
        case .publisher(let publisher):
            let status = publisher.status
            return State(store: publisher.storeStatus, peers: status.peers, publisher: status)
        case .subscriber(let subscriber):
            let status = subscriber.status
            return State(
                listening: Listening(senders: status.senders, streams: status.streams), store: status.store,
                fetches: status.fetches)
        case .relay(let relay):
            let status = relay.status
            return State(
                listening: Listening(senders: status.senders, streams: status.streams), store: status.store,
                peers: status.peers)
        }
    }
}

extension StreamStatus {
    /// How many batches are missing, as it is shown: whoever makes up a head may tell any number.
    var shownMissing: UInt64 { min(missing, 1 << 32) }
}

extension WriteBehindStatus {
    /// Why nothing reaches the disk; nil where all does.
    var problem: String? {
        if case .degraded(let error) = health { "\(error)" } else { nil }
    }
}
