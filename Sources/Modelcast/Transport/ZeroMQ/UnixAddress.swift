package import Foundation

/// The address of a Unix socket: a path, or a name in Linux's abstract space with `@` before it.
package struct UnixAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// Nil for a path that is empty or too long.
    package init?(path: String) {
        var bytes = Array(path.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < capacity else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            // In bounds: bytes.count < capacity.
            unsafe path.copyBytes(from: bytes)
        }
        let head = MemoryLayout<sockaddr_un>.size - capacity
        length = socklen_t(head + bytes.count + (isAbstract ? 0 : 1))
    }

    /// Lends the address in the form that the system's calls take.
    package func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        unsafe withUnsafePointer(to: address) { pointer in
            // A sockaddr_un begins like every sockaddr, and the calls get its length.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}

/// The system's message for an error number.
package func systemMessage(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
