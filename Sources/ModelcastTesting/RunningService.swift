import ModelWire
import Modelcast
import Synchronization

/// A service of a test network, and the task that runs it.
struct RunningService: Sendable {
    enum Kind: Sendable {
        case publisher(Publisher)
        case relay(Relay)
        case subscriber(Subscriber)
    }

    let kind: Kind
    let task: Task<Void, any Error>
    private let end: ServiceEnd

    init(_ kind: Kind, _ body: @escaping @Sendable () async throws -> Void) {
        self.kind = kind
        let end = ServiceEnd()
        self.end = end
        task = Task {
            defer { end.hasCome.store(true, ordering: .releasing) }
            try await body()
        }
    }

    /// The service has stopped by itself.
    var hasEnded: Bool { end.hasCome.load(ordering: .acquiring) }
}

/// Whether a service has ended.
private final class ServiceEnd: Sendable {
    let hasCome = Atomic<Bool>(false)
}

/// How far the streams of a sender have come.
private struct StreamEnd {
    let origin: String
    let topic: Topic
    let incarnation: UInt64
    let sequence: UInt64
}

extension RunningService.Kind {
    /// The names of the senders that it listens to.
    var senders: [String] {
        let endpoints =
            switch self {
            case .publisher: [String]()
            case .relay(let relay): relay.configuration.publishers
            case .subscriber(let subscriber): subscriber.configuration.publishers
            }
        return endpoints.map(TestNetwork.name(at:))
    }

    /// The names of all services that it connects to: its senders, and the relays that it pushes to.
    var connections: [String] {
        guard case .publisher(let publisher) = self else { return senders }
        return publisher.configuration.relays.map(TestNetwork.name(at:))
    }

    private var prefixes: [[UInt8]] {
        switch self {
        case .publisher: []
        case .relay(let relay): relay.configuration.selection.prefixes
        case .subscriber(let subscriber): subscriber.configuration.selection.prefixes
        }
    }

    private var senderStates: [SenderStatus] {
        switch self {
        case .publisher: []
        case .relay(let relay): relay.status.senders
        case .subscriber(let subscriber): subscriber.status.senders
        }
    }

    private var streams: [StreamStatus] {
        switch self {
        case .publisher: []
        case .relay(let relay): relay.status.streams
        case .subscriber(let subscriber): subscriber.status.streams
        }
    }

    private func ends(_ name: String) -> [StreamEnd] {
        switch self {
        case .publisher(let publisher):
            let sent = publisher.sent
            return sent.heads.map {
                StreamEnd(origin: name, topic: $0.topic, incarnation: sent.incarnation, sequence: $0.sequence)
            }
        case .relay, .subscriber:
            return streams.map {
                StreamEnd(origin: $0.origin, topic: $0.topic, incarnation: $0.incarnation, sequence: $0.applied)
            }
        }
    }

    /// The work that the service itself has under way, in words; nil for none.
    func lack(_ name: String, isConnected: (_ sender: String) -> Bool) -> String? {
        if case .publisher(let publisher) = self {
            return publisher.sent.isAll ? nil : "\(name) has not sent, or not brought to its relays, all that it wrote"
        }
        let states = senderStates
        for (index, sender) in senders.enumerated() where isConnected(sender) {
            guard states.indices.contains(index) else { return "\(name) has not begun to listen" }
            let status = states[index]
            guard status.state == .live else {
                let error = status.lastError.map { ": \($0)" } ?? ""
                return "\(name) is \(status.state.rawValue) towards \(sender)\(error)"
            }
        }
        return nil
    }

    /// The part that the service lacks of what a sender has, in words; nil for none.
    func lack(_ name: String, of sender: RunningService.Kind, _ senderName: String) -> String? {
        let streams = streams
        for end in sender.ends(senderName)
        where end.sequence > 0 && prefixes.contains(where: { end.topic.overlaps($0) }) {
            let stream = streams.first { $0.origin == end.origin && $0.topic == end.topic }
            let applied = stream?.incarnation == end.incarnation ? stream?.applied ?? 0 : 0
            if applied < end.sequence, stream?.incarnation ?? 0 <= end.incarnation {
                return "\(name) has \(applied) of \(end.sequence) batches of \(end.origin) on \(end.topic), which "
                    + "\(senderName) has"
            }
        }
        return nil
    }
}
