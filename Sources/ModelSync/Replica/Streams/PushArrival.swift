public import ModelWire

/// What became of a pushed batch.
public enum PushArrival: Hashable, Sendable {
    /// It is merged, or waits for the other parts of its transaction, and was handed out for forwarding.
    case accepted
    /// It had been merged before: to be acknowledged like a new one.
    case duplicate
    /// It was not merged, for this reason, which is to be sent to whoever pushed it.
    case refused(ControlErrorCode, String)

    /// Why a stream is not begun.
    static let noRoom = "too many streams were begun by pushing; use fewer types"

    /// The refusal of one more name of a peer.
    static var tooManyNames: PushArrival {
        .refused(.busy, "this connection has begun to push under many names; try again in a second")
    }

    /// How the message of a batch from the future begins.
    private static let future = "the stamp lies too far ahead"

    /// The relay refuses for the sake of its clock, if that is what its refusal says.
    static func isFuture(_ message: String) -> Bool { message.hasPrefix(future) }

    /// The refusal of a batch from the future.
    static var tooFarAhead: PushArrival {
        .refused(.limit, "\(future) of this relay's clock; set the clocks right")
    }

    /// How the message of a batch that is not the next of its stream begins; the sequence that would be follows.
    private static let expectation = "expected sequence "

    /// The refusal of a batch that is not the next.
    static func outOfOrder(_ sequence: UInt64, expected: UInt64) -> PushArrival {
        .refused(.limit, "\(expectation)\(expected), not \(sequence)")
    }

    /// The sequence that a relay waits for, if that is what its refusal says.
    public static func expectedSequence(in message: String) -> UInt64? {
        guard message.hasPrefix(expectation) else { return nil }
        return UInt64(message.dropFirst(expectation.count).prefix { $0.isNumber })
    }
}
