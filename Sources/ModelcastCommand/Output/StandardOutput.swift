import Foundation
import Modelcast

// For `stat`, which belongs to this module where a file that imports it was compiled first.
#if canImport(CDispatch)
    import CDispatch
#endif

/// Standard output for large amounts of data, with a reader that may be slow, stuck or gone.
struct StandardOutput {
    /// The result of a write.
    enum WriteResult: Equatable {
        case written
        /// The reader has gone.
        case closed
        /// The reader has taken nothing for half a second, while the command was told to end.
        case stuck
        /// The system refused, with this error number.
        case failed(CInt)

        /// The failure to tell a person; nil also when the reader has gone or is stuck, which is nothing unusual.
        var failure: CommandFailure? {
            switch self {
            case .written, .closed, .stuck: nil
            case .failed(let code): CommandFailure("cannot write to standard output: \(systemMessage(code))")
            }
        }
    }

    /// How many bytes a pipe takes without blocking when `poll` says that it can be written.
    private static let pipeChunk = 4096
    private static let patienceMilliseconds: CInt = 100
    /// How many waits of ``patienceMilliseconds`` in which a reader takes nothing make it count as stuck.
    private static let stuckCount = 5

    /// Standard output is a file, which takes everything at once.
    private let isFile: Bool

    /// Ignores SIGPIPE: a closed pipe is an error of the write then, and not the end of the process.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var status = stat()
        isFile = unsafe fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// True when the reader of the pipe has gone. Found out without writing.
    static var isReaderGone: Bool {
        var request = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && request.revents & Int16(POLLERR | POLLNVAL) != 0
    }

    /// Writes all of `bytes`. While `isEnding` is false it waits for the reader without limit.
    func write(_ bytes: [UInt8], isEnding: () -> Bool) -> WriteResult {
        guard !StandardStreams.isOutputClosed else { return .failed(EBADF) }
        var offset = 0
        var idleCount = 0
        while offset < bytes.count {
            var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, StandardOutput.patienceMilliseconds) > 0 else {
                idleCount = isEnding() ? idleCount + 1 : 0
                if idleCount >= StandardOutput.stuckCount { return .stuck }
                continue
            }
            let count = isFile ? bytes.count - offset : min(bytes.count - offset, StandardOutput.pipeChunk)
            let written = unsafe bytes.withUnsafeBytes { content in
                // In bounds: offset + count <= bytes.count.
                unsafe Foundation.write(STDOUT_FILENO, content.baseAddress.map { unsafe $0 + offset }, count)
            }
            if written >= 0 {
                offset += written
                idleCount = 0
            } else if errno == EPIPE {
                return .closed
            } else if errno != EINTR, errno != EAGAIN {
                return .failed(errno)
            }
        }
        return .written
    }
}
