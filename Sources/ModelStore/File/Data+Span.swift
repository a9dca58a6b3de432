import Foundation

extension Data {
    /// A copy of `bytes`, as statements bind values of type `Data`.
    init(copying bytes: Span<UInt8>) {
        // The pointer is valid in the closure, and the bytes are copied there.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}
