import Foundation

/// The file of a store and those that SQLite keeps beside it, as names in a directory.
struct StoreFile {
    let path: String

    /// What stands beside a file in the write-ahead mode.
    static let companions = ["", "-wal", "-shm", "-journal"]

    /// Makes sure that there is a directory to make the file in.
    func checkDirectory() throws(StoreError) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        switch kind(of: directory) {
        case nil: throw StoreError(.directoryMissing, path: path, "there is no directory \(directory)")
        case .typeDirectory?: break
        default: throw StoreError(.directoryMissing, path: path, "\(directory) is not a directory")
        }
        if kind(of: path) == .typeDirectory {
            throw StoreError(.notWritable, path: path, "a directory, not a file")
        }
    }

    /// What stands at a path.
    private func kind(of path: String) -> FileAttributeType? { attributes(of: path)?[.type] as? FileAttributeType }

    /// Links are followed.
    private func attributes(of path: String) -> [FileAttributeKey: Any]? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return try? FileManager.default.attributesOfItem(atPath: resolved)
    }

    /// SQLite takes a file that is shorter than any header for an empty one, and would write over it.
    func checkSize() throws(StoreError) {
        let size = attributes(of: path)?[.size] as? UInt64 ?? 0
        guard size == 0 || size >= 512 else {
            throw StoreError(.corrupt, path: path, "\(size) bytes are no database")
        }
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Renames the file and its companions to a name that says when, and that nothing else has.
    /// - Returns: the new path.
    func setAside() throws(StoreError) -> String {
        let stamp = Date().formatted(
            .iso8601.timeZoneSeparator(.omitted).dateSeparator(.omitted).timeSeparator(.omitted))
        var aside = "\(path).corrupt-\(stamp)"
        var number = 1
        while FileManager.default.fileExists(atPath: aside) {
            number += 1
            aside = "\(path).corrupt-\(stamp)-\(number)"
        }
        do {
            // The companions first: a new file must never meet the old one's log.
            for suffix in StoreFile.companions.reversed() where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            }
        } catch {
            throw StoreError(
                .notWritable, path: path, "damaged, and it cannot be renamed: \(error.localizedDescription)")
        }
        return aside
    }
}
