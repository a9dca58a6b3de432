/// Comparisons and copies of bytes, by words.
enum Bytes {
    /// Bytewise lexicographic order: negative, zero or positive.
    static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let common = min(left.count, right.count)
        var index = 0
        while common &- index >= 8 {
            let (a, b) = (word(left, index), word(right, index))
            if a != b { return a < b ? -1 : 1 }
            index &+= 8
        }
        while index < common {
            if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
            index &+= 1
        }
        return left.count &- right.count
    }

    /// Eight bytes from `index` on, which the caller has checked to be there, big-endian: words compare as their bytes
    /// do.
    @inline(__always)
    static func word(_ span: Span<UInt8>, _ index: Int) -> UInt64 {
        unsafe UInt64(bigEndian: span.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }

    /// Four bytes from `index` on, which the caller has checked to be there, to be compared for equality.
    @inline(__always)
    private static func half(_ span: Span<UInt8>, _ index: Int) -> UInt32 {
        unsafe span.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
    }

    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        left.count == right.count && areEqual(left, 0, right, 0, count: left.count)
    }

    /// Equality of `count` bytes from an offset on, which the caller has checked to be there on both sides.
    @inline(__always)
    static func areEqual(
        _ left: Span<UInt8>, _ leftStart: Int, _ right: Span<UInt8>, _ rightStart: Int, count: Int
    ) -> Bool {
        var index = 0
        guard count >= 8 else {
            if count >= 4 {
                // The first four and the last four, which may overlap. Most such runs are the name of an origin.
                return half(left, leftStart) == half(right, rightStart)
                    && half(left, leftStart &+ count &- 4) == half(right, rightStart &+ count &- 4)
            }
            while index < count {
                if left[leftStart &+ index] != right[rightStart &+ index] { return false }
                index &+= 1
            }
            return true
        }
        while count &- index > 8 {
            if word(left, leftStart &+ index) != word(right, rightStart &+ index) { return false }
            index &+= 8
        }
        // The last eight bytes, of which some were compared already.
        return word(left, leftStart &+ count &- 8) == word(right, rightStart &+ count &- 8)
    }

    /// Copies `count` bytes of a record. Pieces of 8 to 64 bytes are copied as two words, which may overlap. The caller
    /// has checked that both sides have `count` bytes and do not overlap.
    @inline(__always)
    static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) {
        if count > 64 || count < 8 { return unsafe target.copyMemory(from: source, byteCount: count) }
        if count <= 16 { return unsafe copyEnds(UInt64.self, source, target, count) }
        if count <= 32 { return unsafe copyEnds(SIMD2<UInt64>.self, source, target, count) }
        unsafe copyEnds(SIMD4<UInt64>.self, source, target, count)
    }

    /// Copies the first and the last word, which together cover all `count` bytes.
    @inline(__always)
    private static func copyEnds<Word: BitwiseCopyable>(
        _ word: Word.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int
    ) {
        let last = count &- MemoryLayout<Word>.size
        let (first, second) = unsafe (
            source.loadUnaligned(as: Word.self), (source + last).loadUnaligned(as: Word.self)
        )
        unsafe target.storeBytes(of: first, as: Word.self)
        unsafe (target + last).storeBytes(of: second, as: Word.self)
    }
}
