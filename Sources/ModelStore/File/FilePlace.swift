import Foundation

/// The file at a path, told apart from another file that has taken its name.
struct FilePlace: Hashable {
    private let device: UInt64
    private let number: UInt64
    /// The permissions of the owner, the group and others.
    let permissions: UInt32
    let byteCount: Int
    /// When the file was last written, in milliseconds of the wall clock.
    let writtenMilliseconds: Int64
    /// True for a regular file, not for a device, a pipe or a directory. Those belong to others, and their permissions
    /// stay.
    let isRegular: Bool

    /// Nil where there is no file.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        permissions = UInt32(status.st_mode) & 0o777
        byteCount = Int(status.st_size)
        writtenMilliseconds = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    static func == (left: Self, right: Self) -> Bool { left.device == right.device && left.number == right.number }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }

    /// Makes an empty file that only its owner may use, whatever the umask. The files that SQLite makes beside it later
    /// get the same permissions.
    ///
    /// Does nothing where a file exists: closing a file that is open elsewhere in this process would release the lock
    /// on it. Where the file cannot be made, SQLite reports why when it opens the path.
    static func makePrivate(path: String) {
        guard FilePlace(path: path) == nil else { return }
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// Removes the permissions of the group and of others.
    /// - Returns: the permissions before, as octal digits; nil where nothing was to be removed, or it could not be.
    static func tighten(path: String) -> String? {
        guard let place = FilePlace(path: path), place.isRegular, place.permissions & 0o077 != 0 else { return nil }
        guard unsafe chmod(path, mode_t(place.permissions & 0o700)) == 0 else { return nil }
        return String(place.permissions, radix: 8)
    }
}
