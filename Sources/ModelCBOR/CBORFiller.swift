/// Writes CBOR items into reserved memory, so that the capacity is checked once for many items.
///
/// ``CBORWriter/append(upTo:_:)`` lends a filler. Each item is still checked against the end of the memory: an estimate
/// that was too small ends in a trap, not in a wild write.
@unsafe public struct CBORFiller {
    @usableFromInline var next: UnsafeMutablePointer<UInt8>
    @usableFromInline let end: UnsafeMutablePointer<UInt8>

    @inlinable @inline(__always)
    init(_ next: UnsafeMutablePointer<UInt8>, end: UnsafeMutablePointer<UInt8>) {
        unsafe self.next = unsafe next
        unsafe self.end = unsafe end
    }

    /// The number of bytes that can still be written.
    @inlinable public var byteCountLeft: Int { unsafe end - next }

    /// Takes the next bytes; traps when there are not as many.
    @inlinable @inline(__always)
    mutating func take(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(unsafe byteCount <= end - next, "more was written than was reserved")
        let start = unsafe next
        unsafe next += byteCount
        return unsafe start
    }

    /// Writes one byte.
    @inlinable @inline(__always)
    public mutating func write(byte: UInt8) { unsafe take(1).pointee = byte }

    /// Writes the head of an item.
    @inlinable @inline(__always)
    public mutating func writeHead(_ major: CBORMajor, _ argument: UInt64) {
        let high = major.rawValue << 5
        if argument < 24 {
            unsafe write(byte: high | UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xFF {
            let start = unsafe take(2)
            unsafe start[0] = high | 24
            unsafe start[1] = UInt8(truncatingIfNeeded: argument)
        } else {
            unsafe writeLongHead(high, argument)
        }
    }

    @usableFromInline mutating func writeLongHead(_ high: UInt8, _ argument: UInt64) {
        if argument <= 0xFFFF {
            unsafe write(high | 25, UInt16(truncatingIfNeeded: argument))
        } else if argument <= 0xFFFF_FFFF {
            unsafe write(high | 26, UInt32(truncatingIfNeeded: argument))
        } else {
            unsafe write(high | 27, argument)
        }
    }

    /// Writes an initial byte and the bytes of `value`, most significant first.
    @inline(__always)
    mutating func write<T: FixedWidthInteger & BitwiseCopyable>(_ initial: UInt8, _ value: T) {
        let start = unsafe take(1 + MemoryLayout<T>.size)
        unsafe start[0] = initial
        unsafe UnsafeMutableRawPointer(start + 1).storeBytes(of: value.bigEndian, as: T.self)
    }

    /// Copies bytes that already are encoded. Up to 32 bytes, the most common case, are copied without a call.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count
        guard count > 0, let source = unsafe UnsafeRawPointer(bytes.baseAddress) else { return }
        let target = unsafe UnsafeMutableRawPointer(take(count))
        if count > 32 {
            unsafe target.copyMemory(from: source, byteCount: count)
        } else if count >= 16 {
            unsafe CBORFiller.copyEnds(source, target, count, as: SIMD16<UInt8>.self)
        } else if count >= 8 {
            unsafe CBORFiller.copyEnds(source, target, count, as: UInt64.self)
        } else if count >= 4 {
            unsafe CBORFiller.copyEnds(source, target, count, as: UInt32.self)
        } else {
            for index in 0..<count {
                let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
                unsafe target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            }
        }
    }

    /// Copies the first and the last `T` of the `count` bytes; the two may overlap, and together cover all bytes.
    @inlinable @inline(__always)
    static func copyEnds<T: BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int, as type: T.Type
    ) {
        let last = count &- MemoryLayout<T>.size
        let (a, b) = unsafe (
            source.loadUnaligned(as: T.self), source.loadUnaligned(fromByteOffset: last, as: T.self)
        )
        unsafe target.storeBytes(of: a, as: T.self)
        unsafe target.storeBytes(of: b, toByteOffset: last, as: T.self)
    }

    /// Copies bytes that already are encoded.
    @inlinable @inline(__always)
    public mutating func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Writes a text.
    @inlinable @inline(__always)
    public mutating func write(text: String) {
        unsafe text.withUTF8Bytes { bytes in
            unsafe writeHead(.text, UInt64(bytes.count))
            unsafe append(bytes)
        }
    }
}

extension String {
    /// Lends the UTF-8 bytes of the text in place; copies a text whose bytes are not contiguous.
    @inlinable @inline(__always)
    public func withUTF8Bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = unsafe utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension CBORWriter {
    /// Appends what `body` writes.
    /// - Parameter byteCount: the most that `body` writes; the memory grows by factors, as it does for single items.
    @inlinable @inline(__always)
    public mutating func append(upTo byteCount: Int, _ body: (inout CBORFiller) -> Void) {
        bytes.append(addingCapacity: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                guard let base = buffer.baseAddress else { return }
                let start = unsafe base + count
                var filler = unsafe CBORFiller(start, end: start + byteCount)
                unsafe body(&filler)
                count += unsafe filler.next - start
            }
        }
    }
}
