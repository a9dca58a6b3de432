/// The hash functions of digests and buckets (protocol article, section 7).
public enum Fingerprint {
    /// FNV-1a with 64 bits, of the bytes of `span`.
    /// - Complexity: O(*n*), about four cycles a byte.
    @inlinable public static func fnv(_ span: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let count = span.count
        let raw = unsafe span.bytes
        var index = 0
        // The bytes are read by words: a load and a bounds check for each byte would take longer than the hash.
        while count &- index >= 8 {
            // In bounds: index + 8 <= count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            hash = fnv(hash, UInt64(littleEndian: word))
            index &+= 8
        }
        while index < count {
            hash = (hash ^ UInt64(span[index])) &* 0x100_0000_01B3
            index &+= 1
        }
        return hash
    }

    /// Continues the hash `start` with eight bytes, the lowest first.
    @inlinable @inline(__always)
    static func fnv(_ start: UInt64, _ word: UInt64) -> UInt64 {
        var hash = (start ^ (word & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 8 & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 16 & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 24 & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 32 & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 40 & 0xFF)) &* 0x100_0000_01B3
        hash = (hash ^ (word &>> 48 & 0xFF)) &* 0x100_0000_01B3
        return (hash ^ (word &>> 56)) &* 0x100_0000_01B3
    }

    /// FNV-1a with 64 bits, of the UTF-8 bytes of `text`.
    @inlinable public static func fnv(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash
    }

    /// The finaliser of splitmix64.
    @inlinable public static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// FNV-1a of no bytes: the field hash of a model's own term in a digest.
    @inlinable public static var empty: UInt64 { 0xCBF2_9CE4_8422_2325 }

    /// The term of one cell in a digest.
    @inlinable public static func term(
        idHash: UInt64, fieldHash: UInt64, stamp: UInt64, originHash: UInt64
    ) -> UInt64 {
        mix(mix(mix(idHash ^ fieldHash) &+ stamp) ^ originHash)
    }

    /// The bucket of an id: the top 8 bits of its mixed hash.
    /// - Parameter idHash: ``fnv(_:)-(String)`` of the id.
    @inlinable public static func bucket(idHash: UInt64) -> Int { Int(mix(idHash) >> 56) }
}
