/// Appends CBOR items in the core deterministic encoding (RFC 8949, section 4.2.1) to a buffer that it owns.
///
/// The caller writes map keys in order; the writer does the rest (shortest heads, definite lengths, shortest floats).
/// ``removeAll()`` keeps the capacity, so one writer serves many messages without allocating.
public struct CBORWriter: Sendable {
    /// The bytes that have been written.
    public var bytes: [UInt8]

    /// An empty writer with room for `byteCount` bytes.
    public init(reserving byteCount: Int = 0) {
        bytes = []
        bytes.reserveCapacity(byteCount)
    }

    /// A writer that appends behind `bytes`.
    @inlinable public init(continuing bytes: consuming [UInt8]) { self.bytes = bytes }

    /// How many bytes have been written.
    @inlinable public var count: Int { bytes.count }

    /// Forgets what was written and keeps the memory.
    @inlinable public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Writes the head of an item.
    @inlinable public mutating func writeHead(_ major: CBORMajor, _ argument: UInt64) {
        let high = major.rawValue << 5
        if argument < 24 {
            bytes.append(high | UInt8(truncatingIfNeeded: argument))
        } else {
            writeLongHead(high, argument)
        }
    }

    @usableFromInline mutating func writeLongHead(_ high: UInt8, _ argument: UInt64) {
        if argument <= 0xFF {
            bytes.append(high | 24)
            bytes.append(UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xFFFF {
            bytes.append(high | 25)
            appendBigEndian(UInt16(truncatingIfNeeded: argument))
        } else if argument <= 0xFFFF_FFFF {
            bytes.append(high | 26)
            appendBigEndian(UInt32(truncatingIfNeeded: argument))
        } else {
            bytes.append(high | 27)
            appendBigEndian(argument)
        }
    }

    /// The bytes of `value`, most significant first, without a head.
    @inlinable mutating func appendBigEndian<T: FixedWidthInteger>(_ value: T) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes an unsigned integer.
    @inlinable public mutating func write(unsigned value: UInt64) { writeHead(.unsigned, value) }

    /// Writes a signed integer.
    @inlinable public mutating func write(int value: Int64) {
        if value >= 0 {
            writeHead(.unsigned, UInt64(value))
        } else {
            writeHead(.negative, UInt64(bitPattern: ~value))
        }
    }

    /// Writes a float in the shortest width that keeps its value.
    public mutating func write(double value: Double) {
        if let half = CBORFloat.half(value) {
            bytes.append(0xF9)
            appendBigEndian(half)
        } else if let single = CBORFloat.single(value) {
            bytes.append(0xFA)
            appendBigEndian(single)
        } else {
            bytes.append(0xFB)
            appendBigEndian(value.bitPattern)
        }
    }

    /// Writes a Boolean.
    @inlinable public mutating func write(bool value: Bool) {
        bytes.append(value ? CBORConstant.trueByte : CBORConstant.falseByte)
    }

    /// Writes null.
    @inlinable public mutating func writeNull() { bytes.append(CBORConstant.nullByte) }

    /// Writes undefined.
    @inlinable public mutating func writeUndefined() { bytes.append(CBORConstant.undefinedByte) }

    /// Writes a text.
    public mutating func write(text: String) {
        var text = text
        text.withUTF8 { buffer in
            writeHead(.text, UInt64(buffer.count))
            unsafe bytes.append(contentsOf: buffer)
        }
    }

    /// Writes a byte string.
    public mutating func write(byteString: some Collection<UInt8>) {
        writeHead(.bytes, UInt64(byteString.count))
        bytes.append(contentsOf: byteString)
    }

    /// Appends bytes that already are encoded.
    @inlinable public mutating func append(encoded span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes the head of an array of `count` elements, which the caller writes next.
    @inlinable public mutating func writeArrayHead(_ count: Int) { writeHead(.array, UInt64(count)) }

    /// Writes the head of a map of `count` pairs, which the caller writes next in order of their encoded keys.
    @inlinable public mutating func writeMapHead(_ count: Int) { writeHead(.map, UInt64(count)) }
}
