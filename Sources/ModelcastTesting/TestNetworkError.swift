/// The error of a test network that cannot do something, or that has not come to rest in time.
public struct TestNetworkError: Error, CustomStringConvertible, Hashable {
    /// The fault, in words for the author of the test.
    public let description: String

    init(_ description: String) { self.description = description }
}
