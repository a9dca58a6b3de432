import Foundation

/// The mark beside a store, `NAME-mark`. It tells from outside of the store how many commits the store has seen.
///
/// SQLite reads a write-ahead log as far as its checksums hold, and takes the rest for an interrupted write. So one
/// flipped bit in the log silently removes every later commit. The log itself cannot tell the two cases apart: after a
/// power cut, frames that were not synced may be missing between others that are there. Therefore every transaction has
/// a number, in a fact of the store, and after each commit the mark is written with that number. A store that opens
/// with a smaller number than its mark has lost commits.
///
/// No ordinary crash looks like that:
/// - The mark of a commit is written after SQLite has written that commit. After the death of the process the system
///   still has both writes. A process that was killed between them leaves a store that is *ahead* of its mark.
/// - A power cut may remove what was not synced, from the store and not from the mark. The mark therefore has two
///   numbers: the last commit that was synced, which always counts, and the last that was written, which counts only
///   until the system is started again. So the mark names the boot.
/// - A write of the mark that is cut off breaks one of its two slots, which are written in turns; the other slot is
///   older.
///
/// A store without a mark, such as a copy of file and log alone, opens without this check, and its report says so.
struct StoreMark {
    /// The content of one slot.
    struct Content: Hashable {
        /// The number of the store, which the store has in a fact, too.
        var store: UInt64
        /// The last commit that was synced.
        var synced: UInt64
        /// The last commit.
        var written: UInt64
        /// The boot of the system during which the mark was written; zeros where it is not known.
        var boot: [UInt8]
        /// When the store began, in Unix milliseconds: nothing in it is older. 0 where it is not known, as in the mark
        /// of an earlier version. A store that can no longer be read tells by this how far its loss reaches.
        var beganMilliseconds: UInt64 = 0

        /// The number of the last commit that a store with this mark must have.
        func expected(boot current: [UInt8]) -> UInt64 {
            boot == current && boot.contains { $0 != 0 } ? max(synced, written) : synced
        }
    }

    static let suffix = "-mark"
    private static let slotByteCount = 64
    private static let bootByteCount = 16
    private static let magic: UInt64 = 0x4D64_4373_4D61_726B

    let path: String
    private(set) var content: Content
    /// The open file. It is closed with the last copy of this value.
    private var descriptor: Descriptor?
    private var slot = 0

    /// A mark at `path`, which begins with `content`. The file is made at the first note.
    init(path: String, content: Content) {
        self.path = path
        self.content = content
    }

    /// Sets the boot of the system that later notes are written with.
    mutating func begin(boot: [UInt8]) {
        content.boot = boot
    }

    /// Notes a commit. A mark that cannot be written stays behind the store, which never looks like a loss.
    mutating func note(_ number: UInt64, isSynced: Bool) {
        content.written = number
        if isSynced { content.synced = number }
        if descriptor == nil { descriptor = Descriptor(path: path) }
        guard let descriptor else { return }
        descriptor.write(content.bytes, at: slot * StoreMark.slotByteCount)
        slot = 1 - slot
    }

    /// Lets the next note make a new file where the present one was deleted or replaced.
    mutating func renewIfMissing() {
        guard let descriptor, FilePlace(path: path) != descriptor.place else { return }
        self.descriptor = nil
    }

    /// Writes the mark to disk, so that it outlives a power cut.
    func sync() { descriptor?.sync() }

    /// The content of the mark at `path`; nil where there is none, or where no slot can be read.
    static func read(path: String) -> Content? {
        guard let bytes = try? [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) else { return nil }
        return [0, slotByteCount]
            .compactMap { start in
                bytes.count >= start + slotByteCount ? Content(bytes[start..<start + slotByteCount]) : nil
            }
            .max { ($0.written, $0.synced) < ($1.written, $1.synced) }
    }

    /// An identifier of the system's present boot: 16 bytes, zeros where the system does not tell.
    static let boot: [UInt8] = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * bootByteCount else { return Array(repeating: 0, count: bootByteCount) }
        return (0..<bootByteCount).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }()
}

extension StoreMark.Content {
    /// The bytes of a slot.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in [StoreMark.magicNumber, store, synced, written] { bytes += number.bigEndianBytes }
        bytes += boot + beganMilliseconds.bigEndianBytes
        return bytes + StoreMark.Content.sum(bytes[...]).bigEndianBytes
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        let words = stride(from: bytes.startIndex, to: bytes.endIndex, by: 8)
            .map { UInt64(bigEndianBytes: bytes[$0..<min($0 + 8, bytes.endIndex)]) }
        guard words.count == 8, words[0] == StoreMark.magicNumber,
            words[7] == StoreMark.Content.sum(bytes.dropLast(8))
        else { return nil }
        self.init(
            store: words[1], synced: words[2], written: words[3],
            boot: Array(bytes[(bytes.startIndex + 32)..<(bytes.startIndex + 48)]), beganMilliseconds: words[6])
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        UInt64(bitPattern: RowSum.fact(StoreMark.suffix, Array(bytes)))
    }
}

extension StoreMark {
    fileprivate static var magicNumber: UInt64 { magic }

    /// An open file.
    private final class Descriptor {
        let place: FilePlace?
        private let number: Int32

        init?(path: String) {
            number = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            guard number >= 0 else { return nil }
            place = FilePlace(path: path)
        }

        deinit { close(number) }

        func write(_ bytes: [UInt8], at offset: Int) {
            // The pointer is valid in the closure, and `$0.count` bytes are there.
            _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, $0.count, off_t(offset)) }
        }

        func sync() { fsync(number) }
    }
}

extension UInt64 {
    package var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    package init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
