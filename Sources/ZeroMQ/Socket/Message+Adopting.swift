internal import CLibZMQ

extension Message {
    /// A frame that sends bytes in place, and keeps `owner` alive until libzmq has written them.
    ///
    /// No byte is copied; libzmq allocates a small header, and one reference is taken. Below about a kilobyte
    /// ``init(copying:)`` is cheaper.
    ///
    /// The caller proves two things. The bytes neither move nor change while `owner` lives. And `owner` holds no
    /// ``Context`` and no ``Socket``, not even indirectly: it is released on a libzmq thread, and the end of a context
    /// would wait for that very thread.
    @unsafe
    public init(adopting bytes: UnsafeRawBufferPointer, owner: some AnyObject & Sendable) {
        content = clibzmq_message()
        let hint = unsafe Unmanaged<AnyObject>.passRetained(owner).toOpaque()
        let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        let result = unsafe clibzmq_message_init_data(
            &content, start, bytes.count, { _, hint in unsafe release(hint) }, hint)
        precondition(result == 0, "out of memory for the header of a frame")
    }

    /// A frame that sends an array's bytes without copying them.
    ///
    /// Costs one small object more than the unsafe form. Below about a kilobyte ``init(copying:)`` is cheaper.
    public init(adopting bytes: [UInt8]) {
        let owner = AdoptedArray(bytes)
        // The owner never changes its array, so the array's storage neither moves nor is written while it lives.
        unsafe self.init(adopting: owner.bytes.withUnsafeBytes { unsafe $0 }, owner: owner)
    }
}

/// Keeps the storage of an array until libzmq is done with it.
private final class AdoptedArray: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Releases the owner that was passed to libzmq as the hint. Runs on any thread.
private func release(_ hint: UnsafeMutableRawPointer?) {
    guard let hint = unsafe hint else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(hint).release()
}
