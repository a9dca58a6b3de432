public import ModelGrants
public import ModelWire

/// A request as it was read. Decoding needs no lock, and nothing of the machine that answers.
public struct ReceivedRequest: Sendable {
    let request: Result<ControlRequest, WireError>
    let byteCount: Int
    /// The one that has sent it, and from where.
    let grantee: Grantee
    let address: String
    /// The endpoint of the stream for it; nil for that of all.
    let stream: String?
    /// Its key has more connections than it may have.
    let isExcess: Bool

    /// Decodes a request. Any bytes are acceptable.
    /// - Parameters:
    ///   - grantee: the owner of the connection.
    ///   - address: the address of the connection's other end; empty where it is not known.
    ///   - isExcess: the connection is one more than the key of its owner may have, so the request is refused.
    ///   - stream: is called for a `hello`, and returns the endpoint of the stream that the connection's owner may
    ///     listen to: empty where there is no room for one; nil for the stream of all.
    public init(
        _ payload: Span<UInt8>, limits: WireLimits, from grantee: Grantee = .anybody,
        at address: String = "", isExcess: Bool = false, stream: () -> String? = { nil }
    ) {
        (self.grantee, self.address, self.isExcess) = (grantee, address, isExcess)
        byteCount = payload.count
        request = Result { () throws(WireError) in try ControlRequest(decoding: payload, limits: limits) }
        self.stream = if case .success(.hello) = request, !isExcess { stream() } else { nil }
    }
}
