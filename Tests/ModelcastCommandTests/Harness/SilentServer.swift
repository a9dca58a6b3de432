import Foundation
import Modelcast
import Testing

/// Listens on a free port of this host, and never says a word.
final class SilentServer {
    let endpoint: String
    private let descriptor: CInt

    init() throws {
        descriptor = socket(AF_INET, SocketKind.stream, 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fd = descriptor
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            // A sockaddr_in begins as every sockaddr does, and the calls are told its length.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(fd, address, length) == 0 && listen(fd, 8) == 0 && getsockname(fd, address, &length) == 0
            }
        }
        try #require(isListening)
        endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    deinit { close(descriptor) }
}
