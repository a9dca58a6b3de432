/// A hash of names that peers choose, with a seed of the process: nobody outside can find names that collide.
///
/// FNV-1a is for digests and buckets, which all processes have to agree on. Whoever wants ids of one FNV-1a hash finds
/// them by the million, so a table whose steps depend on peers' names either uses this, or goes over to it when too
/// many names lie together.
public enum SeededHash {
    /// The hash of the bytes of a name; another one in each process.
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

    /// An odd number that nobody outside of the process knows: the upper bits of its product with one hash are equal to
    /// those with another as seldom as by accident, whoever chose the hashes.
    public static var factor: UInt64 { secret.factor }

    private static let secret: (seed: UInt64, factor: UInt64) = {
        var source = SystemRandomNumberGenerator()
        return (source.next(), source.next() | 1)
    }()

    /// Each bit of the product's halves comes from many of the value.
    @inline(__always)
    private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: factor)
        return high ^ low
    }
}

extension CellRecord {
    /// Feeds the id to a hasher, which is seeded by the process: the id's own hash is one that others can choose.
    public func hashID(into hasher: inout Hasher) {
        let id = idBytes
        unsafe id.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
