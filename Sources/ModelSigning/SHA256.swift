import CLibCrypto

/// The hash of signatures. It is that of OpenSSL because it is most of what a signature under load costs: with the
/// instructions that processors have for it, it takes little more than half the time of libsodium's fastest hash.
enum SHA256 {
    static let byteCount = 32

    /// The hash of some pieces one after the other.
    static func hash(
        _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), _ third: Span<UInt8> = Span()
    ) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: byteCount)
        unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                unsafe third.withUnsafeBufferPointer { third in
                    unsafe clibcrypto_sha256(
                        &result, first.baseAddress, first.count, second.baseAddress, second.count, third.baseAddress,
                        third.count)
                }
            }
        }
        return result
    }
}
