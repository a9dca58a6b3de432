import ZeroMQ

/// The sockets of one thread, and the poller on which it waits for them.
final class ZeroMQThread: TransportThread {
    var poller: Poller
    /// The context of the sockets that connect; nil before the first.
    private var context: Context?

    init() throws(ModelcastError) {
        poller = try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in try Poller() }
    }

    var waker: Waker { poller.waker }

    func connect(to endpoint: String, _ settings: ConnectionSettings) throws(ModelcastError) -> any RequestConnection {
        try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in
            try ZeroMQRequestConnection(to: endpoint, settings, in: connecting(), self)
        }
    }

    func listen(
        to endpoint: String, of control: String, _ settings: ConnectionSettings
    ) throws(ModelcastError) -> any StreamConnection {
        let resolved = SenderEndpoints.resolve(stream: endpoint, control: control)
        // A sender may tell any text. One within this process would reach its own sockets.
        try SenderEndpoints.requireConnectable(resolved)
        return try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in
            try ZeroMQStreamConnection(to: resolved, of: control, settings, in: connecting(), self)
        }
    }

    func serve(_ settings: ServingSettings) throws(ModelcastError) -> any ServingEnd {
        try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in
            try ZeroMQServing(settings, in: Context(), self)
        }
    }

    func wait(timeout: Duration) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in _ = try poller.wait(timeout: timeout) }
    }

    private func connecting() throws(ZeroMQError) -> Context {
        if let context { return context }
        let context = try Context()
        self.context = context
        return context
    }
}
