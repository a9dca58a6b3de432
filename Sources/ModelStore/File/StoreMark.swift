import Foundation

/// The mark beside a store, `NAME-mark`: how far the store had come, told outside of it.
///
/// SQLite takes a write-ahead log for as long as its checksums hold, and what stands behind the first that fails for
/// the rest of an interrupted write. One flipped bit in the log so takes away every later commit without a word. The
/// log itself cannot tell the two apart: after a power cut frames of writes that were not synced may be missing between
/// others that are there. So every transaction carries a number, in a fact of the store, and behind each commit the
/// mark is written with that number. A store that opens with a smaller number than its mark has lost commits.
///
/// No honest crash looks like that:
/// - The mark of a commit is written when SQLite has written that commit. A killed process leaves both in the memory of
///   the system; killed between the two it leaves a store that is *ahead* of its mark.
/// - A power cut may take what was not synced, and may take it from the store and leave it in the mark. The mark
///   therefore has two numbers: the last commit that was synced, which counts always, and the last that was written,
///   which counts only while the system has not been started anew since: the mark names the boot.
/// - A write of the mark that is cut off breaks one of its two slots, which are written in turns; the other is older.
///
/// A store without a mark, as a copy of file and log alone, opens without this check, and its report says so.
struct StoreMark {
    /// What one slot says.
    struct Content: Hashable {
        /// Whose mark it is: the store has the same number in a fact.
        var store: UInt64
        /// The last commit that was synced.
        var synced: UInt64
        /// The last commit.
        var written: UInt64
        /// The start of the system during which it was written; zeros where that is not known.
        var boot: [UInt8]

        /// The commit that a store with this mark must have come to.
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
    /// Closed with the last copy of this.
    private var descriptor: Descriptor?
    private var slot = 0

    /// A mark to be written at `path`, which begins to count at `content`.
    init(path: String, content: Content) {
        self.path = path
        self.content = content
    }

    /// From now on it is written during this start of the system.
    mutating func begin(boot: [UInt8]) {
        content.boot = boot
    }

    /// Takes note of a commit. A mark that cannot be written stays behind, which never looks like a loss.
    mutating func note(_ number: UInt64, isSynced: Bool) {
        content.written = number
        if isSynced { content.synced = number }
        if descriptor == nil { descriptor = Descriptor(path: path) }
        guard let descriptor else { return }
        descriptor.write(content.bytes, at: slot * StoreMark.slotByteCount)
        slot = 1 - slot
    }

    /// The file was taken away: the next note makes a new one.
    mutating func renewIfMissing() {
        guard let descriptor, FilePlace(path: path) != descriptor.place else { return }
        self.descriptor = nil
    }

    /// Makes it outlive a power cut from now on.
    func sync() { descriptor?.sync() }

    /// What the mark at `path` says; nil where there is none, or none that can be read.
    static func read(path: String) -> Content? {
        guard let bytes = try? [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) else { return nil }
        return [0, slotByteCount]
            .compactMap { start in
                bytes.count >= start + slotByteCount ? Content(bytes[start..<start + slotByteCount]) : nil
            }
            .max { ($0.written, $0.synced) < ($1.written, $1.synced) }
    }

    /// The start of this system: 16 bytes, zeros where the system does not tell.
    static let boot: [UInt8] = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * bootByteCount else { return Array(repeating: 0, count: bootByteCount) }
        return (0..<bootByteCount).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }()
}

extension StoreMark.Content {
    /// A slot of the file.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in [StoreMark.magicNumber, store, synced, written] { bytes += number.bigEndianBytes }
        bytes += boot + UInt64(0).bigEndianBytes
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
            boot: Array(bytes[(bytes.startIndex + 32)..<(bytes.startIndex + 48)]))
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
            // The pointer is valid in the closure, and so many bytes are there.
            _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, $0.count, off_t(offset)) }
        }

        func sync() { fsync(number) }
    }
}

extension UInt64 {
    var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
