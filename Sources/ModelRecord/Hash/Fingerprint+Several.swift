/// FNV-1a of several texts at once.
///
/// Each step of the hash waits five cycles for the step before, while the processor could begin a multiplication in
/// every cycle. The ids of a batch do not depend on each other: four ids hashed in turns, byte by byte, take little
/// more time than one.
extension Fingerprint {
    /// ``fnv(_:)-(Span<UInt8>)`` of the bytes in each of four ranges of `bytes`.
    /// - Complexity: O(*n*), about six cycles for four bytes where the ranges are of one length.
    public static func fnv(
        _ bytes: Span<UInt8>, _ first: Range<Int>, _ second: Range<Int>, _ third: Range<Int>, _ fourth: Range<Int>
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        var (a, b, c, d) = (empty, empty, empty, empty)
        let wordCount = min(min(first.count, second.count), min(third.count, fourth.count)) / 8
        let least = min(min(first.lowerBound, second.lowerBound), min(third.lowerBound, fourth.lowerBound))
        let most = max(max(first.upperBound, second.upperBound), max(third.upperBound, fourth.upperBound))
        precondition(least >= 0 && most <= bytes.count, "a range past the bytes")
        var offset = 0
        for _ in 0..<wordCount {
            // In bounds: offset + 8 <= count of each range, and all ranges are within the bytes.
            var (e, f) = (word(bytes, first.lowerBound &+ offset), word(bytes, second.lowerBound &+ offset))
            var (g, h) = (word(bytes, third.lowerBound &+ offset), word(bytes, fourth.lowerBound &+ offset))
            for _ in 0..<8 {
                a = (a ^ (e & 0xFF)) &* prime
                b = (b ^ (f & 0xFF)) &* prime
                c = (c ^ (g & 0xFF)) &* prime
                d = (d ^ (h & 0xFF)) &* prime
                (e, f, g, h) = (e &>> 8, f &>> 8, g &>> 8, h &>> 8)
            }
            offset &+= 8
        }
        return (
            fnv(a, bytes, first.lowerBound &+ offset, first.upperBound),
            fnv(b, bytes, second.lowerBound &+ offset, second.upperBound),
            fnv(c, bytes, third.lowerBound &+ offset, third.upperBound),
            fnv(d, bytes, fourth.lowerBound &+ offset, fourth.upperBound)
        )
    }

    /// Continues the hash `begun` with the bytes from `start` to `end`, which the caller guarantees to be in bounds.
    @inline(__always)
    private static func fnv(_ begun: UInt64, _ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        var hash = begun
        for index in start..<end { hash = (hash ^ UInt64(unsafe bytes[unchecked: index])) &* prime }
        return hash
    }

    /// The eight bytes from `offset` on, little-endian; the caller guarantees them to be in bounds.
    @inline(__always)
    private static func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    private static var prime: UInt64 { 0x100_0000_01B3 }
}

extension UpdateSlice {
    /// The range of the id in the buffer.
    public var idRange: Range<Int> { Int(idStart)..<(Int(idStart) &+ Int(idByteCount)) }

    /// Fills in the id hashes of slices that were made without them.
    /// - Parameters:
    ///   - slices: those from `first` on get the hashes of their ids.
    ///   - first: the index of the first slice without a hash.
    ///   - bytes: the buffer that the slices point into.
    public static func hashIDs(of slices: inout [UpdateSlice], from first: Int = 0, in bytes: Span<UInt8>) {
        var slices = slices.mutableSpan
        var index = first
        while index &+ 4 <= slices.count {
            let (a, b, c, d) = Fingerprint.fnv(
                bytes, slices[index].idRange, slices[index &+ 1].idRange, slices[index &+ 2].idRange,
                slices[index &+ 3].idRange)
            slices[index].idHash = a
            slices[index &+ 1].idHash = b
            slices[index &+ 2].idHash = c
            slices[index &+ 3].idHash = d
            index &+= 4
        }
        while index < slices.count {
            slices[index].idHash = Fingerprint.fnv(bytes.extracting(slices[index].idRange))
            index &+= 1
        }
    }
}
