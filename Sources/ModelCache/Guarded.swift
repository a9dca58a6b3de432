public import Synchronization

/// A `Mutex` that the thread sanitizer understands.
///
/// A thread that had to wait for a `Mutex` takes it inside the library, which is not built with the sanitizer. The
/// sanitizer then sees no order between the two threads, and reports a race where there is none. The ordered load and
/// store here state the order once more, in our own code. They are plain moves on x86 and cost a nanosecond on ARM.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let order = Atomic<UInt8>(0)

    @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls `body` with the value while no other thread has it. `body` must not call back, log, or do input and
    /// output.
    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) -> sending Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }

    /// The same as ``withLock(_:)``, but returns nil where another thread has the value now.
    @inlinable @inline(__always)
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(Failure) -> sending Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
