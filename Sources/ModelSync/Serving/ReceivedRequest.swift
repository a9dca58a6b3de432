public import ModelGrants
public import ModelWire

/// A request as it was read. Decoding needs no lock, and nothing of the machine that answers.
public struct ReceivedRequest: Sendable {
    let request: Result<ControlRequest, WireError>
    let byteCount: Int
    /// The one that has sent it.
    let grantee: Grantee
    /// The endpoint of the stream for it; nil for that of all.
    let stream: String?

    /// Decodes a request. Any bytes are acceptable.
    /// - Parameters:
    ///   - grantee: the owner of the connection.
    ///   - stream: is called for a `hello`, and returns the endpoint of the stream that the connection's owner may
    ///     listen to: empty where there is no room for one; nil for the stream of all.
    public init(
        _ payload: Span<UInt8>, limits: WireLimits, from grantee: Grantee = .anybody,
        stream: () -> String? = { nil }
    ) {
        self.grantee = grantee
        byteCount = payload.count
        request = Result { () throws(WireError) in try ControlRequest(decoding: payload, limits: limits) }
        self.stream = if case .success(.hello) = request { stream() } else { nil }
    }
}
