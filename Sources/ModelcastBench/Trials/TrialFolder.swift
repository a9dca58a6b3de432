import Foundation

/// A folder for the files of one run, which only the user of this process may enter.
///
/// Its name has a random part, and a folder that exists is not taken, so no other user can make it beforehand.
public struct TrialFolder: Sendable {
    /// The path of the folder.
    let path: String

    /// A folder in the system's folder for temporary files. It does not exist before ``make()``.
    /// - Parameter name: the beginning of its name.
    public init(named name: String) {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        path = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(number)").path
    }

    /// Makes the folder.
    /// - Throws: ``BenchError`` when it exists, or cannot be made.
    public func make() throws {
        guard unsafe mkdir(path, 0o700) == 0 else { throw failure("make the folder \(path)") }
    }

    /// Removes the folder with everything in it. A second call does nothing.
    public func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file of the folder.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a new file, which only the user of this process may read. The file is created with these rights, so that
    /// nobody else can open it in between.
    /// - Returns: the path of the file.
    /// - Throws: ``BenchError`` when the file exists, or cannot be written.
    @discardableResult
    func write(_ text: String = "", to name: String) throws -> String {
        let path = path(of: name)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600 as mode_t)
        guard descriptor >= 0 else { throw failure("write \(path)") }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
        return path
    }

    private func failure(_ what: String) -> BenchError {
        BenchError("cannot \(what): \(unsafe String(cString: strerror(errno)))")
    }
}
