/// An error of one kind of one peer, however often it happened.
public struct DistinctError: Hashable, Sendable {
    /// The kind: a code of section 5 of the protocol article, `refused client`, or what a sender said that it may not.
    public let kind: String
    /// The peer: the name of its key where there are grants, else its address, or the name of a sender.
    public let peer: String
    /// How often it happened.
    public internal(set) var count: UInt64 = 0
    /// When it happened first, in milliseconds since 1970 by the clock of this process.
    public let firstMilliseconds: UInt64
    /// When it happened last, likewise.
    public internal(set) var lastMilliseconds: UInt64
    /// The message when it happened last. A part of it may be the peer's own words, on one line.
    public internal(set) var example: String
}
