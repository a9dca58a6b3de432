import ZeroMQ

/// ZeroMQ as a transport: a stream is XPUB and SUB, requests are DEALER and ROUTER, keys are CURVE.
struct ZeroMQTransport: TransportImplementation {
    var hasKeys: Bool { true }

    func requireConnectable(_ endpoint: String) throws(ModelcastError) {
        try ZeroMQTransport.requireNoMemory(endpoint)
        try SenderEndpoints.requireConnectable(endpoint)
    }

    func requireServable(_ endpoint: String) throws(ModelcastError) {
        try ZeroMQTransport.requireNoMemory(endpoint)
        _ = try SenderEndpoints.parse(endpoint)
    }

    func openThread() throws(ModelcastError) -> any TransportThread { try ZeroMQThread() }

    func fault(at endpoint: String, hasKeys: Bool) async -> EndpointFault? {
        // With keys the handshake tells more than a question that the other side need not answer.
        hasKeys ? await EndpointProbe.checkConnection(endpoint) : await EndpointProbe.diagnose(endpoint, nil)
    }

    private static func requireNoMemory(_ endpoint: String) throws(ModelcastError) {
        guard InMemoryBus.isEndpoint(endpoint) else { return }
        throw ModelcastError(
            .endpoint, "\(endpoint) is on a bus within a process: set transport to .inMemory(bus), everywhere the same")
    }
}

extension ModelcastError {
    /// Does something with libzmq, whose failure becomes one of this type.
    static func ofZeroMQ<R: ~Copyable>(
        _ code: Code = .messaging, _ body: () throws(ZeroMQError) -> R
    ) throws(ModelcastError) -> R {
        do {
            return try body()
        } catch {
            throw ModelcastError(code, error.description)
        }
    }
}
