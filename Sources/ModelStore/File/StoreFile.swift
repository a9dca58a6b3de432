import Foundation

/// The paths of a store's file and of the files beside it.
struct StoreFile {
    let path: String

    /// The suffixes of the file itself, of the files that SQLite may make beside it, and of the mark.
    static let companions = ["", "-wal", "-shm", "-journal", StoreMark.suffix]

    /// Checks that the directory exists, and that the path is free or names a regular file.
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

    /// The kind of the file at a path; nil where there is none.
    private func kind(of path: String) -> FileAttributeType? { attributes(of: path)?[.type] as? FileAttributeType }

    /// Follows symbolic links.
    private func attributes(of path: String) -> [FileAttributeKey: Any]? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return try? FileManager.default.attributesOfItem(atPath: resolved)
    }

    /// Checks the cases that SQLite would treat as an empty database: it overwrites a file that is shorter than a
    /// header, and deletes the log of a file that is gone or empty.
    /// - Throws: ``StoreError/Code/foreignFile`` for a file of another kind, ``StoreError/Code/corrupt`` for a file
    ///   that has lost its content.
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

    /// True where the file begins like every SQLite file. It may be cut off behind that.
    private var hasHeader: Bool {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 16) else {
            // The opening reports a file that cannot be read.
            return true
        }
        return bytes == Data("SQLite format 3\0".utf8)
    }

    /// The size in bytes; 0 where there is no file.
    var byteCount: UInt64 { attributes(of: path)?[.size] as? UInt64 ?? 0 }

    /// Makes the file where there is none, with permissions for its owner only.
    func makePrivate() {
        guard byteCount == 0 else { return }
        // A mark that is left belongs to an earlier file.
        try? FileManager.default.removeItem(atPath: path + StoreMark.suffix)
        FilePlace.makePrivate(path: path)
        // An empty file that somebody has made for the store has no content yet, so its permissions may be changed.
        _ = FilePlace.tighten(path: path)
    }

    /// Removes the permissions of the group and of others from all files.
    /// - Returns: the permissions before, for each file that was changed.
    func tighten() -> [String] {
        StoreFile.companions.compactMap { suffix in
            FilePlace.tighten(path: path + suffix).map { "\(path)\(suffix) was \($0)" }
        }
    }

    /// The file or one of its companions exists.
    var hasRemains: Bool { StoreFile.companions.contains { FileManager.default.fileExists(atPath: path + $0) } }

    /// Renames the file and its companions to an unused name with the time in it.
    /// - Returns: the new path; where only companions were left, that of one of them.
    func setAside() throws(StoreError) -> String {
        let stamp = Date().formatted(
            .iso8601.timeZoneSeparator(.omitted).dateSeparator(.omitted).timeSeparator(.omitted))
        var aside = "\(path).corrupt-\(stamp)"
        var number = 1
        while StoreFile(path: aside).hasRemains {
            number += 1
            aside = "\(path).corrupt-\(stamp)-\(number)"
        }
        // Where the file is gone, only a companion may be left.
        var kept = aside
        do {
            // The companions are renamed first, as a new file must never meet the log of the old one.
            for suffix in StoreFile.companions.reversed() where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
                kept = aside + suffix
            }
        } catch {
            throw StoreError(
                .notWritable, path: path, "damaged, and it cannot be renamed: \(error.localizedDescription)")
        }
        // The renamed files hold all the data of the store.
        _ = StoreFile(path: aside).tighten()
        return kept
    }
}
