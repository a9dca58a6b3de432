internal import CLibZMQ

/// An option of any value type, for lists.
public protocol AnySocketOption: Sendable {
    associatedtype Value: Sendable & Equatable
    /// libzmq's name, such as `ZMQ_LINGER`.
    var name: String { get }
    /// The option itself, where its type matters.
    var option: SocketOption<Value> { get }
}
