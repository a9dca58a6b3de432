import Foundation
import Modelcast

/// Tells systemd the state of the process, where it was started with `Type=notify`.
enum SystemdNotifier {
    /// Tells that the process is ready: its sockets are bound, or connecting.
    static func ready(_ status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// Tells one line for `systemctl status`.
    static func status(_ status: String) { send("STATUS=\(oneLine(status))") }

    /// Tells that the process works.
    static func watchdog() { send("WATCHDOG=1") }

    /// Tells that the process is about to end.
    static func stopping() { send("STOPPING=1") }

    private static func oneLine(_ text: String) -> String { text.replacing("\n", with: " ") }

    /// Sends a datagram to `NOTIFY_SOCKET`. Without that variable, or when sending fails, nothing happens, because the
    /// process works without systemd.
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
