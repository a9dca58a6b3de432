import Foundation

/// A TCP connection to a port of this host that does not speak ZMTP: a test may send any bytes on it.
public final class RawConnection {
    private let descriptor: CInt

    /// Connects, and blocks until that is done.
    /// - Parameter endpoint: `tcp://127.0.0.1:port`.
    /// - Throws: ``CaseFailure`` when it cannot connect.
    public init(to endpoint: String) throws {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw CaseFailure("\(endpoint) has no port")
        }
        #if os(Linux)
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let fd = descriptor
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: address) { pointer in
            // A sockaddr_in begins as every sockaddr does, and the call is told its length.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(fd, $0, length) }
        }
        guard result == 0 else { throw CaseFailure("cannot connect to \(endpoint)") }
    }

    deinit { close(descriptor) }

    /// Sends bytes. An error is ignored, because the other side may have closed.
    public func send(_ bytes: [UInt8]) {
        let fd = descriptor
        _ = unsafe bytes.withUnsafeBytes { unsafe Foundation.send(fd, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Reads until the other side closes the connection.
    /// - Returns: the bytes; nil when nothing has come for ten seconds and the connection is still open.
    public func readToEnd() -> [UInt8]? {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var result: [UInt8] = []
        while true {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EAGAIN { return nil }
            guard count > 0 else { return result }
            result += bytes.prefix(count)
        }
    }

    /// The bytes of an HTTP request with these messages of ZMTP 1.0 as its body, each of one frame. A web page can make
    /// a browser send such a request.
    public static func httpPost(of messages: [[UInt8]]) -> [UInt8] {
        let body = messages.flatMap { zmtp1Frame($0) }
        let text = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\nX: "
        // A frame of ZMTP 1.0 begins with its length, and the P of POST is 80. The 80 bytes behind it are therefore the
        // first message, which is the peer's name.
        let padding = String(repeating: "x", count: 1 + Int(UInt8(ascii: "P")) - text.utf8.count - 4)
        return Array((text + padding + "\r\n\r\n").utf8) + body
    }

    private static func zmtp1Frame(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 254, "longer frames have another form")
        return [UInt8(bytes.count + 1), 0] + bytes
    }
}
