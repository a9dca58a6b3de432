import ZeroMQ

extension Message {
    /// A message with a copy of these bytes.
    init(_ bytes: [UInt8]) {
        // The span is borrowed for the call only, and the call copies it.
        unsafe self.init(copying: bytes.span.bytes)
    }

    /// A message with these bytes. Large ones are handed over without a copy.
    init(ofPayload payload: [UInt8]) {
        if payload.count >= 1024 { self.init(adopting: payload) } else { self.init(payload) }
    }

    /// The bytes as an array.
    var array: [UInt8] { withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } } }

    /// Lends the bytes where they are.
    func withSpan<R>(_ body: (Span<UInt8>) -> R) -> R {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                // The memory is the message's own and lives through the call, and any bytes are valid values.
                unsafe body(buffer.assumingMemoryBound(to: UInt8.self).span)
            }
        }
    }
}
