import ModelCBOR

/// The hash by which tables are found by the name of their type. It takes a multiplication for eight bytes, as every
/// read and every write by name begins with it. With the hash of strings, finding a table takes twice the instructions.
enum NameHash {
    /// The hash of a name, the same for equal names. An ASCII name is hashed by its bytes. Other names may be equal in
    /// several spellings, so they are hashed as strings are; another spelling of an ASCII name is first turned into
    /// ASCII.
    /// - Parameter seed: a random number, so that nobody can choose names that collide.
    @inline(__always)
    static func of(_ name: String, seed: UInt64) -> UInt64 {
        unsafe name.withUTF8Bytes { unsafe ofASCII($0.span, seed: seed) } ?? ofOther(name, seed: seed)
    }

    @inline(never)
    private static func ofOther(_ name: String, seed: UInt64) -> UInt64 {
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { spelledAsASCII[$0] ?? $0 }))
        return unsafe plain.withUTF8Bytes { unsafe ofASCII($0.span, seed: seed) }
            ?? UInt64(bitPattern: Int64(name.hashValue))
    }

    /// All scalars that are canonically equivalent to one of ASCII: the Kelvin sign, the Greek question mark, the
    /// varia.
    private static let spelledAsASCII: [Unicode.Scalar: Unicode.Scalar] = [
        "\u{212A}": "K", "\u{37E}": ";", "\u{1FEF}": "`",
    ]

    /// - Returns: nil where a byte is not ASCII.
    @inline(__always)
    private static func ofASCII(_ bytes: Span<UInt8>, seed: UInt64) -> UInt64? {
        let raw = unsafe bytes.bytes
        var hash = seed ^ UInt64(bytes.count)
        var all: UInt64 = 0
        var index = 0
        while bytes.count &- index >= 8 {
            // In bounds: index + 8 <= count.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            all |= word
            hash = fold(hash ^ word)
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest &<< 8 | UInt64(bytes[index])
            index &+= 1
        }
        return (all | rest) & 0x8080_8080_8080_8080 == 0 ? fold(hash ^ rest) : nil
    }

    /// Spreads the bits: each bit of the product's halves comes from many bits of the value.
    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
