public import ModelGrants
public import ModelWire

/// A request as it was read. Decoding needs no lock, and nothing of the machine that answers.
public struct ReceivedRequest: Sendable {
    let request: Result<ControlRequest, WireError>
    let byteCount: Int
    /// The one that has sent it.
    let grantee: Grantee

    /// Decodes a request. Any bytes are acceptable.
    public init(_ payload: Span<UInt8>, limits: WireLimits, from grantee: Grantee = .anybody) {
        self.grantee = grantee
        byteCount = payload.count
        request = Result { () throws(WireError) in try ControlRequest(decoding: payload, limits: limits) }
    }
}
