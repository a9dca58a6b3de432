import Foundation

/// Tells systemd how the process is, where it was started with `Type=notify`.
enum SystemdNotifier {
    /// The sockets are bound, or connecting.
    static func ready(_ status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// One line for `systemctl status`.
    static func status(_ status: String) { send("STATUS=\(oneLine(status))") }

    /// The process is about to end.
    static func stopping() { send("STOPPING=1") }

    private static func oneLine(_ text: String) -> String { text.replacing("\n", with: " ") }

    /// Sends a datagram to `NOTIFY_SOCKET`. Without one, or when it fails, nothing happens: readiness is a courtesy.
    private static func send(_ state: String) {
        guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"],
            let address = UnixAddress(path: path)
        else { return }
        let descriptor = socket(AF_UNIX, SocketKind.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        unsafe address.withPointer { pointer, length in
            unsafe bytes.withUnsafeBytes { content in
                _ = unsafe sendto(descriptor, content.baseAddress, content.count, 0, pointer, length)
            }
        }
    }
}

/// The kinds of socket, as the system's calls take them.
enum SocketKind {
    #if os(Linux)
        static let stream = CInt(SOCK_STREAM.rawValue)
        static let datagram = CInt(SOCK_DGRAM.rawValue)
    #else
        static let stream = SOCK_STREAM
        static let datagram = SOCK_DGRAM
    #endif
}

/// The address of a Unix socket: a path, or with `@` in front a name in Linux's abstract space.
struct UnixAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// Nil for a path that is empty or too long.
    init?(path: String) {
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

    /// Lends the address as the system's calls take it.
    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        unsafe withUnsafePointer(to: address) { pointer in
            // A sockaddr_un begins as every sockaddr does, and the calls are told its length.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
