import Foundation

/// The file of a store and those that SQLite keeps beside it, as names in a directory.
struct StoreFile {
    let path: String

    /// What stands beside a file in the write-ahead mode, and the mark.
    static let companions = ["", "-wal", "-shm", "-journal", StoreMark.suffix]

    /// Makes sure that there is a directory to make the file in.
    func checkDirectory() throws(StoreError) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        switch kind(of: directory) {
        case nil: throw StoreError(.directoryMissing, path: path, "there is no directory \(directory)")
        case .typeDirectory?: break
        default: throw StoreError(.directoryMissing, path: path, "\(directory) is not a directory")
        }
        switch kind(of: path) {
        case nil, .typeRegular?: break
        case .typeDirectory?: throw StoreError(.notWritable, path: path, "a directory, not a file")
        default: throw StoreError(.notWritable, path: path, "a device, a pipe or a socket, not a file")
        }
    }

    /// What stands at a path.
    private func kind(of path: String) -> FileAttributeType? { attributes(of: path)?[.type] as? FileAttributeType }

    /// Links are followed.
    private func attributes(of path: String) -> [FileAttributeKey: Any]? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return try? FileManager.default.attributesOfItem(atPath: resolved)
    }

    /// Looks at what SQLite would not look at. It takes a file that is shorter than any header for an empty one, and
    /// would write over it; the log of a file that is gone, or empty, it deletes.
    /// - Throws: ``StoreError/Code/foreignFile`` for a file of any other kind, ``StoreError/Code/corrupt`` for one that
    ///   has lost what it held.
    func checkContent(mark: StoreMark.Content?) throws(StoreError) {
        let size = byteCount
        guard size == 0 || mark != nil || hasHeader else {
            throw StoreError(.foreignFile, path: path, "it is no database, and no mark stands beside it")
        }
        guard size == 0 || size >= 512 else {
            throw StoreError(.corrupt, path: path, "\(size) bytes are no database")
        }
        guard size > 0 || StoreFile(path: path + "-wal").byteCount == 0 else {
            throw StoreError(.corrupt, path: path, "its log is there, and the file itself is gone or empty")
        }
        if size == 0, let mark, mark.synced > 0 {
            throw StoreError(
                .corrupt, path: path,
                "the file is gone or empty, and should hold \(mark.expected(boot: StoreMark.boot)) commits (who "
                    + "deletes a store deletes \(path)\(StoreMark.suffix) with it)")
        }
    }

    /// The file begins as every file of SQLite's does; it may be cut off behind that.
    private var hasHeader: Bool {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 16) else {
            // A file that cannot be read is told of when it is opened.
            return true
        }
        return bytes == Data("SQLite format 3\0".utf8)
    }

    /// 0 where there is none.
    var byteCount: UInt64 { attributes(of: path)?[.size] as? UInt64 ?? 0 }

    /// Makes the file where there is none, so that it is its owner's alone.
    func makePrivate() {
        guard byteCount == 0 else { return }
        // The mark of another file that was here once.
        try? FileManager.default.removeItem(atPath: path + StoreMark.suffix)
        FilePlace.makePrivate(path: path)
        // An empty one that somebody has made is a place to write to, and nobody has written yet.
        _ = FilePlace.tighten(path: path)
    }

    /// Sees to it that the files are their owner's alone.
    /// - Returns: what others could do before, for each file that was changed.
    func tighten() -> [String] {
        StoreFile.companions.compactMap { suffix in
            FilePlace.tighten(path: path + suffix).map { "\(path)\(suffix) was \($0)" }
        }
    }

    /// The file, or something that stood beside it.
    var hasRemains: Bool { StoreFile.companions.contains { FileManager.default.fileExists(atPath: path + $0) } }

    /// Renames the file and its companions to a name that says when, and that nothing else has.
    /// - Returns: the new path, or that of what was left of it.
    func setAside() throws(StoreError) -> String {
        let stamp = Date().formatted(
            .iso8601.timeZoneSeparator(.omitted).dateSeparator(.omitted).timeSeparator(.omitted))
        var aside = "\(path).corrupt-\(stamp)"
        var number = 1
        while StoreFile(path: aside).hasRemains {
            number += 1
            aside = "\(path).corrupt-\(stamp)-\(number)"
        }
        // Of a file that is gone only a companion may be left.
        var kept = aside
        do {
            // The companions first: a new file must never meet the old one's log.
            for suffix in StoreFile.companions.reversed() where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
                kept = aside + suffix
            }
        } catch {
            throw StoreError(
                .notWritable, path: path, "damaged, and it cannot be renamed: \(error.localizedDescription)")
        }
        // It holds what the store held.
        _ = StoreFile(path: aside).tighten()
        return kept
    }
}
