import Foundation
import GRDB
import ModelWire

/// The checksum of a row: over its table, its key columns and its value, so that a row that has come under another key
/// fails, too.
///
/// Each step is an exclusive-or, a multiplication by an odd number and a folded shift, and maps each state to exactly
/// one other. So damage within eight bytes is always found, and other damage except for a chance of one in 2^64. From
/// 32 bytes on, the bytes go through four lanes, on which a processor works at the same time: 450 bytes cost less than
/// a tenth of a microsecond. The checksum finds accidents, not attacks: a writer of the file can also write the
/// checksums.
struct RowSum {
    /// The table of a row, as a number that goes into the sum.
    enum Table: UInt64, Sendable {
        case type = 1
        case record, head, origin, batch, fact
    }

    private var state: UInt64

    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(_ table: Table) {
        state = RowSum.factor
        add(table.rawValue)
    }

    /// The checksum as it stands in the file.
    var value: Int64 { Int64(bitPattern: state) }

    mutating func add(_ number: UInt64) { state = RowSum.step(state, number) }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ text: String) { add(Array(text.utf8).span) }

    /// Adds the number of the bytes, then the bytes.
    mutating func add(_ bytes: Span<UInt8>) {
        add(UInt64(bytes.count))
        // Loads stay within the bytes: each is of eight that begin at an offset of at most count - 8.
        unsafe bytes.withUnsafeBytes { raw in
            var offset = 0
            if raw.count >= 32 {
                var (a, b, c, d) = (state, RowSum.factor, state ^ RowSum.factor, ~state)
                while offset &+ 32 <= raw.count {
                    a = RowSum.step(a, unsafe RowSum.word(raw, offset))
                    b = RowSum.step(b, unsafe RowSum.word(raw, offset &+ 8))
                    c = RowSum.step(c, unsafe RowSum.word(raw, offset &+ 16))
                    d = RowSum.step(d, unsafe RowSum.word(raw, offset &+ 24))
                    offset &+= 32
                }
                add(a)
                add(b)
                add(c)
                add(d)
            }
            while offset &+ 8 <= raw.count {
                add(unsafe RowSum.word(raw, offset))
                offset &+= 8
            }
            guard offset < raw.count else { return }
            var last: UInt64 = 0
            while offset < raw.count {
                last = last << 8 | UInt64(unsafe raw[offset])
                offset &+= 1
            }
            add(last)
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* factor
        return product ^ product >> 32
    }
}

extension RowSum {
    static func type(_ number: Int64, _ name: String) -> Int64 {
        var sum = RowSum(.type)
        sum.add(number)
        sum.add(name)
        return sum.value
    }

    static func record(type: Int64, id: Span<UInt8>, bytes: Span<UInt8>) -> Int64 {
        var sum = RowSum(.record)
        sum.add(type)
        sum.add(id)
        sum.add(bytes)
        return sum.value
    }

    static func fact(_ name: String, _ value: [UInt8]) -> Int64 {
        var sum = RowSum(.fact)
        sum.add(name)
        sum.add(value.span)
        return sum.value
    }

    /// The SQL function `modelcast_sum(table, column, …)`, by which a migration gives checksums to the rows of an older
    /// file.
    static let function = DatabaseFunction("modelcast_sum", pure: true) { values in
        guard let first = values.first.flatMap({ Int64.fromDatabaseValue($0) }),
            let table = Table(rawValue: UInt64(bitPattern: first))
        else { return nil }
        var sum = RowSum(table)
        for value in values.dropFirst() {
            switch value.storage {
            case .int64(let number): sum.add(number)
            case .string(let text): sum.add(text)
            case .blob(let bytes): sum.add(bytes.span)
            case .null, .double: break
            }
        }
        return sum.value
    }
}

extension StoredHead {
    var sum: Int64 {
        var sum = RowSum(.head)
        sum.add(origin)
        sum.add(topic.bytes.span)
        sum.add(incarnation)
        sum.add(sequence)
        return sum.value
    }
}

extension StoredOrigin {
    var sum: Int64 {
        var sum = RowSum(.origin)
        sum.add(name)
        sum.add(incarnation)
        sum.add(stamp)
        return sum.value
    }
}

extension StoredBatch {
    var sum: Int64 {
        var sum = RowSum(.batch)
        sum.add(origin)
        sum.add(incarnation)
        sum.add(topic.bytes.span)
        sum.add(sequence)
        sum.add(writtenMilliseconds)
        sum.add(payload.span)
        return sum.value
    }
}
