internal import CLibZMQ

/// An option of any value type, so that a list can hold options of several types.
public protocol AnySocketOption: Sendable {
    /// The Swift type of the option's values.
    associatedtype Value: Sendable & Equatable
    /// libzmq's name, such as `ZMQ_LINGER`.
    var name: String { get }
    /// The option with its own value type.
    var option: SocketOption<Value> { get }
}
