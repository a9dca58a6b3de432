import Foundation

/// Cuts input into lines, in one buffer that grows with the longest line.
struct LineReader {
    /// The result of reading the next line.
    enum Step: Equatable {
        /// A line stands in ``LineReader/buffer``, without its end.
        case line(Range<Int>)
        /// A line longer than the limit was passed over.
        case tooLong
        /// There is no whole line for now.
        case idle
        /// The next line is the first of a new file.
        case restarted
        case end
    }

    /// The bytes that were read, with the part that was not cut into lines yet.
    private(set) var buffer: [UInt8]
    /// The line that was returned last has no end, because the input ended before one.
    private(set) var isUnfinished = false
    private let input: InputFile
    /// Where the next line begins.
    private var start = 0
    /// The place up to which no line's end was found.
    private var searched = 0
    /// The place up to which the buffer is filled.
    private var filled = 0
    /// A line that is too long is being passed over.
    private var isSkipping = false
    /// A file has restarted, and the next step is to say so, after the last line of the old one if it had no end.
    private var isRestartDue = false

    /// Longer lines are passed over.
    private let lineByteCountMax: Int

    /// The limit by default. No model comes near it, because the fields of one must fit into a frame.
    static let lineByteCountMax = 16 << 20

    init(
        _ input: InputFile, bufferByteCount: Int = 1 << 18, lineByteCountMax: Int = LineReader.lineByteCountMax
    ) {
        self.input = input
        self.lineByteCountMax = lineByteCountMax
        buffer = [UInt8](repeating: 0, count: bufferByteCount)
    }

    /// The next line, or why there is none.
    mutating func next() throws(CommandFailure) -> Step {
        while true {
            if isRestartDue {
                isRestartDue = false
                return .restarted
            }
            if let end = findLineEnd() {
                isUnfinished = false
                let line = start..<end
                start = end + 1
                searched = start
                if isSkipping {
                    isSkipping = false
                    return .tooLong
                }
                return .line(line)
            }
            makeRoom()
            switch try input.read(into: &buffer, from: filled) {
            case .bytes(let count): filled += count
            case .idle: return .idle
            case .restarted:
                isRestartDue = true
                if let last = takeRest() { return last }
            case .end: return takeRest() ?? .end
            }
        }
    }

    private mutating func findLineEnd() -> Int? {
        guard searched < filled else { return nil }
        let found = unsafe buffer.withUnsafeBytes { bytes -> Int? in
            // In bounds: searched < filled <= count.
            guard let base = bytes.baseAddress,
                let end = unsafe memchr(base + searched, 0x0A, filled - searched)
            else { return nil }
            return unsafe UnsafeRawPointer(end) - base
        }
        if found == nil { searched = filled }
        return found
    }

    /// The text behind the last line's end, as a line; nil when there is none.
    private mutating func takeRest() -> Step? {
        defer {
            start = 0
            searched = 0
            filled = 0
            isSkipping = false
        }
        isUnfinished = isSkipping || start < filled
        if isSkipping { return .tooLong }
        return start < filled ? .line(start..<filled) : nil
    }

    /// Makes room in the buffer: moves the begun line to the front, grows the buffer, or begins to skip a line that is
    /// too long.
    private mutating func makeRoom() {
        if isSkipping { start = filled }
        if start > 0 {
            let rest = filled - start
            if rest > 0 {
                unsafe buffer.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    // In bounds, and memmove allows for the overlap: start + rest == filled <= count.
                    unsafe memmove(base, base + start, rest)
                }
            }
            start = 0
            filled = rest
            searched = rest
        }
        guard filled == buffer.count else { return }
        if filled < lineByteCountMax {
            buffer.append(contentsOf: repeatElement(0, count: buffer.count))
        } else {
            isSkipping = true
            filled = 0
            searched = 0
        }
    }
}
