/// One sender that a replica listens to: a publisher or a relay.
public struct SenderID: Hashable, Sendable {
    public let index: Int

    public init(index: Int) { self.index = index }
}
