import Foundation

/// What stands at a path: one file is told from another that has taken its name.
struct FilePlace: Hashable {
    private let device: UInt64
    private let number: UInt64
    /// What the owner, the group and others may do.
    let permissions: UInt32
    let byteCount: Int
    /// No device, no pipe, no directory: what others use is not ours to close.
    let isRegular: Bool

    /// Nil where nothing stands.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        permissions = UInt32(status.st_mode) & 0o777
        byteCount = Int(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    static func == (left: Self, right: Self) -> Bool { left.device == right.device && left.number == right.number }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }

    /// Makes an empty file that is its owner's alone, whatever the umask. What SQLite makes beside it later gets the
    /// same permissions.
    ///
    /// Only where none is: to close a file that is open elsewhere in this process would release the lock on it. Where
    /// it cannot be made SQLite says why.
    static func makePrivate(path: String) {
        guard FilePlace(path: path) == nil else { return }
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    /// Takes away what the group and others may do with a file.
    /// - Returns: what they could do before, as octal digits; nil where that was nothing, or it cannot be changed.
    static func tighten(path: String) -> String? {
        guard let place = FilePlace(path: path), place.isRegular, place.permissions & 0o077 != 0 else { return nil }
        guard unsafe chmod(path, mode_t(place.permissions & 0o700)) == 0 else { return nil }
        return String(place.permissions, radix: 8)
    }
}
