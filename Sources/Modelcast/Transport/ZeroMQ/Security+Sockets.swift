import ZeroMQ

/// The keys as sockets take them.
extension Security {
    /// The domain of our sockets, which libzmq names to the ZAP handler. Streams have domains of their own where there
    /// are grants.
    static let domain = "modelcast"

    /// Sets the keys of a socket that serves. Called before it is bound. Clients are allowed only by the handler of the
    /// socket's context.
    /// - Parameters:
    ///   - security: nil where no keys are used. The domain then refuses everything that is not ZMTP 3, above all the
    ///     body of an HTTP request, which would pass for ZMTP 1.0 (libzmq notes, row 21).
    ///   - domain: whose keys come in.
    static func serve(
        _ socket: borrowing Socket, _ security: Security?, domain: String = Security.domain
    ) throws(ZeroMQError) {
        if let security {
            try socket.set(.curveServer, true)
            try socket.set(.curveSecretKey, security.keys.secretKey)
        }
        try socket.set(.zapDomain, domain)
        try socket.set(.zapEnforceDomain, true)
    }

    /// Sets the keys of a socket that connects to the server with this control endpoint.
    func connect(_ socket: borrowing Socket, control: String) throws(ZeroMQError) {
        guard let server = serverKey(at: control) else {
            preconditionFailure("every server was looked for when the configuration was taken")
        }
        try Security.connect(socket, keys, to: server)
    }

    /// Sets the keys of a socket that connects to the server with this key.
    package static func connect(
        _ socket: borrowing Socket, _ keys: Curve.KeyPair, to server: Curve.PublicKey
    ) throws(ZeroMQError) {
        try socket.set(.curvePublicKey, keys.publicKey)
        try socket.set(.curveSecretKey, keys.secretKey)
        try socket.set(.curveServerKey, server)
    }
}
