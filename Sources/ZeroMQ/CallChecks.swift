internal import CLibZMQ

/// Runs a shim again until no signal interrupts it. Its result is zero or more, or a negated error number.
///
/// Every call to libzmq that can be interrupted goes through here, and every failure through ``check(_:_:_:)``.
@inline(__always)
func retryingInterrupts(_ body: () -> CInt) -> CInt {
    while true {
        let result = body()
        if result != -EINTR { return result }
    }
}

/// Returns the result of `body`, or throws the error that a negative result stands for.
@discardableResult
@inline(__always)
func check(
    _ call: StaticString, _ detail: @autoclosure () -> String? = nil, _ body: () -> CInt
) throws(ZeroMQError) -> CInt {
    let result = retryingInterrupts(body)
    guard result < 0 else { return result }
    throw failure(result, call, detail())
}

/// The error for a negated error number.
@inline(never)
func failure(_ result: CInt, _ call: StaticString, _ detail: String? = nil) -> ZeroMQError {
    ZeroMQError(ZeroMQError.Code(rawValue: -result), call: call.description, detail: detail)
}
