public import ModelWire

/// A request as it was read: decoding needs nothing of who answers it, and no lock.
public struct ReceivedRequest: Sendable {
    let request: Result<ControlRequest, WireError>
    let byteCount: Int

    /// Takes any bytes.
    public init(_ payload: Span<UInt8>, limits: WireLimits) {
        byteCount = payload.count
        request = Result { () throws(WireError) in try ControlRequest(decoding: payload, limits: limits) }
    }
}
