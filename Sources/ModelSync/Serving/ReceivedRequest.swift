public import ModelWire

/// A request as it was read. Decoding needs no lock, and nothing of the machine that answers.
public struct ReceivedRequest: Sendable {
    let request: Result<ControlRequest, WireError>
    let byteCount: Int

    /// Decodes a request. Any bytes are acceptable.
    public init(_ payload: Span<UInt8>, limits: WireLimits) {
        byteCount = payload.count
        request = Result { () throws(WireError) in try ControlRequest(decoding: payload, limits: limits) }
    }
}
