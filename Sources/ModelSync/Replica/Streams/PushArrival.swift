public import ModelWire

/// The fate of a pushed batch.
public enum PushArrival: Hashable, Sendable {
    /// The batch is merged, or waits for the other parts of its transaction, and was handed out for forwarding.
    case accepted
    /// The batch had been merged before; it is acknowledged like a new one.
    case duplicate
    /// The batch was not merged, for this reason, which is to be sent to the peer that pushed it.
    case refused(ControlErrorCode, String)

    /// The beginning of the message for a batch whose stream finds no room.
    static let noRoom = "too many streams were begun by pushing"

    /// The refusal of one more name of a connection.
    static var tooManyNames: PushArrival {
        .refused(.busy, "this connection has begun to push under many names; try again in a second")
    }

    /// The refusal of one more topic of a connection.
    static var tooManyTopics: PushArrival {
        .refused(
            .limit,
            "this connection has begun three quarters of the topics that can be pushed here; use fewer types or "
                + "partitions, or larger frames at the relay and at all that listen to it")
    }

    /// The refusal of a batch of a type, or as an origin, that was not granted.
    static func notGranted(_ type: String, as origin: String, to name: String) -> PushArrival {
        .refused(
            .denied,
            "\(name) may not write \(type) as \(origin): its grant needs publish:\(type) and origin=\(origin)")
    }

    /// The refusal of a batch that its origin has not signed, though its type has to be.
    static func unsigned(_ fault: String) -> PushArrival {
        .refused(.denied, "\(fault): give this process its signing key, which sign= in the grants has to name")
    }

    /// The beginning of the message for a batch from the future.
    private static let future = "the stamp lies too far ahead"

    /// A refusal with this message is for a stamp too far ahead of the clock of the relay.
    static func isFuture(_ message: String) -> Bool { message.hasPrefix(future) }

    /// The refusal of a batch from the future.
    static var tooFarAhead: PushArrival {
        .refused(.limit, "\(future) of this relay's clock; set the clocks right")
    }

    /// The beginning of the message for a batch that is not the next of its stream; the expected sequence follows.
    private static let expectation = "expected sequence "

    /// The refusal of a batch that is not the next.
    static func outOfOrder(_ sequence: UInt64, expected: UInt64) -> PushArrival {
        .refused(.limit, "\(expectation)\(expected), not \(sequence)")
    }

    /// The sequence that a relay expects, as the message of its refusal tells; nil for any other refusal.
    public static func expectedSequence(in message: String) -> UInt64? {
        guard message.hasPrefix(expectation) else { return nil }
        return UInt64(message.dropFirst(expectation.count).prefix { $0.isNumber })
    }
}
