/// A hash of names with a seed of the process: a peer, which does not know the seed, cannot choose names that collide.
///
/// FNV-1a serves digests and buckets, which all processes have to agree on. Ids of one FNV-1a hash are easy to find by
/// the million. So a table that is keyed by names of peers uses this hash, from the start or once too many names lie
/// together.
public enum SeededHash {
    /// The hash of the bytes of a name; different in each process.
    /// - Complexity: O(*n*), a multiplication for eight bytes.
    public static func of(_ name: Span<UInt8>) -> UInt64 {
        let (seed, factor) = (secret.seed, secret.factor)
        var hash = seed ^ UInt64(truncatingIfNeeded: name.count)
        let raw = unsafe name.bytes
        var index = 0
        while name.count &- index >= 8 {
            // In bounds: index + 8 <= count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            hash = fold(hash ^ word, factor)
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < name.count {
            rest = rest &<< 8 | UInt64(name[index])
            index &+= 1
        }
        return fold(fold(hash ^ rest, factor) ^ seed, factor)
    }

    /// An odd number that is secret to the process. Multiplied with it, hashes that a peer has chosen agree in their
    /// upper bits only as often as by chance.
    public static var factor: UInt64 { secret.factor }

    private static let secret: (seed: UInt64, factor: UInt64) = {
        var source = SystemRandomNumberGenerator()
        return (source.next(), source.next() | 1)
    }()

    /// Multiplies, and combines both halves of the product: each bit depends on many bits of the value.
    @inline(__always)
    private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: factor)
        return high ^ low
    }
}

extension CellRecord {
    /// Feeds the id to a hasher, which Swift seeds for each process. The id's FNV-1a hash would not do: peers can
    /// choose ids that share one.
    public func hashID(into hasher: inout Hasher) {
        let id = idBytes
        unsafe id.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
