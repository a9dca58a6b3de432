import Foundation

// For `stat`, which belongs to this module where a file that imports it was compiled first.
#if canImport(CDispatch)
    import CDispatch
#endif

/// The rights of a file that is open: what stands at its path may be another one by now.
struct FileRights {
    let mode: mode_t
    let owner: uid_t

    /// Nil where the system does not tell.
    init?(of descriptor: Int32) {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return nil }
        (mode, owner) = (facts.st_mode, facts.st_uid)
    }

    /// The file belongs to this process's user, or to root.
    var isOwn: Bool { owner == geteuid() || owner == 0 }
}
