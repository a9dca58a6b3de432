import Modelcast

/// How full something is that has a bound, or that should stay short.
struct QueueFill: Equatable {
    let name: String
    /// How many are in it; nil where it is measured in bytes alone.
    var count: Int?
    var byteCount: Int?
    /// The bound, in `unit`; nil where there is none.
    var limit: Int?
    /// The unit of the bound: bytes, or what the queue holds.
    var unit = "bytes"
}

extension Console {
    /// The queues of a service. Those of requests and streams over HTTP are told with the one whose models are served.
    func queues(of look: ConsoleLook) -> [QueueFill] {
        var queues: [QueueFill] = []
        if case .publisher(let publisher) = look.subject, let status = look.state.publisher {
            queues.append(
                QueueFill(
                    name: "outbox", byteCount: status.outboxByteCount, limit: publisher.configuration.outboxByteCount))
            queues.append(
                QueueFill(
                    name: "replay", byteCount: status.replayByteCount, limit: publisher.configuration.replayByteCount))
        }
        if let store = look.state.store {
            queues.append(QueueFill(name: "store", count: store.pendingModels, unit: "models"))
        }
        guard let gateway, gateway.cache === look.subject.cache else { return queues }
        let streamCountMax = gateway.configuration.streamCountMax
        queues.append(
            QueueFill(name: "event streams", count: gateway.feeds.count, limit: streamCountMax, unit: "streams"))
        queues.append(
            QueueFill(
                name: "answers", byteCount: connections.waitingByteCount, limit: configuration.answerByteCountMax))
        if let history = gateway.keptHistory {
            queues.append(QueueFill(name: "history", byteCount: history.byteCount, limit: history.byteCountMax))
        }
        return queues
    }
}
