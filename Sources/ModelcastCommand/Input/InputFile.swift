import Foundation
import Modelcast

// For `stat`, which belongs to this module where a file that imports it was compiled first.
#if canImport(CDispatch)
    import CDispatch
#endif

/// A source of bytes that can always be interrupted: a file, a named pipe or standard input.
///
/// One thread uses it.
final class InputFile {
    /// The result of a read.
    enum InputResult {
        case bytes(Int)
        /// There are no bytes for now; a later read may bring some.
        case idle
        /// A file that is followed was cut or exchanged. The next bytes are its beginning.
        case restarted
        case end
    }

    private let path: String
    private let isFollowed: Bool
    private var descriptor: CInt
    private var status: stat
    /// For a followed file: the bytes at its beginning, and those before the place that is read next.
    private var seen = SeenBytes()

    /// The longest that a read waits for bytes before it returns `idle`.
    private static let patienceMilliseconds: CInt = 50

    /// Opens `path`; `-` is standard input.
    /// - Parameter isFollowed: waits at the end for what is appended, as `tail -F` does.
    init(_ path: String, isFollowed: Bool) throws(CommandFailure) {
        self.path = path
        self.isFollowed = isFollowed
        (descriptor, status) = try InputFile.open(path)
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Checks that a file can be read, without opening it: opening a named pipe lets its writer go on.
    static func check(_ path: String) throws(CommandFailure) {
        guard path != "-" else { return try StandardStreams.requireInput() }
        guard unsafe access(path, R_OK) == 0 else { throw failure(path) }
    }

    private static func open(_ path: String) throws(CommandFailure) -> (CInt, stat) {
        // Non-blocking, or opening a named pipe would wait for its writer and could not be interrupted.
        let descriptor = path == "-" ? STDIN_FILENO : unsafe Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw CommandFailure("cannot read \(path): it is a directory") }
        return (descriptor, status)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot read \(path): \(systemMessage(errno))")
    }

    /// Reads the bytes that there are into `buffer`, from `start` to its end at most.
    func read(into buffer: inout [UInt8], from start: Int) throws(CommandFailure) -> InputResult {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, InputFile.patienceMilliseconds) > 0 else { return .idle }
        let fd = descriptor
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            // In bounds: a read into the part of the buffer from `start` on.
            unsafe Foundation.read(fd, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
        }
        if count > 0 {
            guard isFollowedFile else { return .bytes(count) }
            // The file may have been cut and written anew since the last read, to any length.
            guard seen.stand(in: descriptor) else { return try restart() }
            seen.append(buffer.span.extracting(start..<(start + count)))
            return .bytes(count)
        }
        guard count == 0 else {
            if errno == EINTR || errno == EAGAIN { return .idle }
            throw InputFile.failure(path)
        }
        return isFollowed && path != "-" ? try atEnd() : .end
    }

    /// Waits a little at the end of a followed file, and opens it anew when it was cut or exchanged.
    private func atEnd() throws(CommandFailure) -> InputResult {
        if status.st_mode & S_IFMT == S_IFIFO {
            // The last writer has gone: only a newly opened pipe waits for the next one.
            try reopen()
            return .idle
        }
        Thread.sleep(forTimeInterval: Double(InputFile.patienceMilliseconds) / 1000)
        var present = stat()
        guard unsafe stat(path, &present) == 0 else { return .idle }
        let isOther = present.st_ino != status.st_ino || present.st_dev != status.st_dev
        guard isOther || !seen.stand(in: descriptor) else { return .idle }
        return try restart()
    }

    private var isFollowedFile: Bool { isFollowed && status.st_mode & S_IFMT == S_IFREG }

    private func restart() throws(CommandFailure) -> InputResult {
        try reopen()
        seen = SeenBytes()
        return .restarted
    }

    private func reopen() throws(CommandFailure) {
        let opened = try InputFile.open(path)
        close(descriptor)
        (descriptor, status) = opened
    }
}

/// The first and the last bytes that were read of a file, by which it is noticed that the file was cut and written
/// anew. Its length may be the same or greater then, and the time of its last change is too coarse to tell.
private struct SeenBytes {
    private var head: [UInt8] = []
    private var tail: [UInt8] = []
    private var byteCount = 0

    /// How many bytes are kept of each end. A file that still has both counts as the same.
    private static let byteCountMax = 4096

    mutating func append(_ bytes: Span<UInt8>) {
        byteCount += bytes.count
        for index in 0..<min(bytes.count, SeenBytes.byteCountMax - head.count) { head.append(bytes[index]) }
        let kept = bytes.extracting(last: SeenBytes.byteCountMax)
        for index in kept.indices { tail.append(kept[index]) }
        tail.removeFirst(max(tail.count - SeenBytes.byteCountMax, 0))
    }

    /// Whether the file still has these bytes at their places.
    func stand(in descriptor: CInt) -> Bool {
        isThere(head, at: 0, descriptor) && isThere(tail, at: byteCount - tail.count, descriptor)
    }

    private func isThere(_ bytes: [UInt8], at offset: Int, _ descriptor: CInt) -> Bool {
        guard !bytes.isEmpty else { return true }
        var found = [UInt8](repeating: 0, count: bytes.count)
        let count = unsafe found.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        return count == bytes.count && found == bytes
    }
}
