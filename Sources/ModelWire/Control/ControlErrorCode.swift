/// Why a request was refused. An open set: a later version may send other codes.
public struct ControlErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as it is sent.
    public let rawValue: String

    /// A code as it was received.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The two sides have no version of the protocol in common.
    public static let version = ControlErrorCode(rawValue: "version")
    /// The requester may not do this, such as push to a publisher.
    public static let denied = ControlErrorCode(rawValue: "denied")
    /// Too much is under way; try again later.
    public static let busy = ControlErrorCode(rawValue: "busy")
    /// The request is past a limit.
    public static let limit = ControlErrorCode(rawValue: "limit")
    /// The request cannot be read.
    public static let malformed = ControlErrorCode(rawValue: "malformed")
    /// Nothing is known of the origin.
    public static let unknownOrigin = ControlErrorCode(rawValue: "unknown-origin")
    /// Nothing is known of the topic.
    public static let unknownTopic = ControlErrorCode(rawValue: "unknown-topic")
    /// Something went wrong that is no fault of the requester.
    public static let internalError = ControlErrorCode(rawValue: "internal")

    public var description: String { rawValue }
}
