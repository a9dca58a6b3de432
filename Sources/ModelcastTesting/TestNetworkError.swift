/// What a test network cannot do, or what has not come to rest in time.
public struct TestNetworkError: Error, CustomStringConvertible, Hashable {
    /// What is wrong, in words for the author of the test.
    public let description: String

    init(_ description: String) { self.description = description }
}
