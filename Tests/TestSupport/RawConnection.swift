import Foundation

/// A TCP connection to a port of this host that does not speak ZMTP: a test may send any bytes on it.
public final class RawConnection: Sendable {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Connects, and blocks until that is done.
    /// - Parameter endpoint: `tcp://127.0.0.1:port`.
    /// - Throws: ``CaseFailure`` when it cannot connect.
    public init(to endpoint: String) throws {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw CaseFailure("\(endpoint) has no port")
        }
        descriptor = makeSocket()
        let fd = descriptor
        let result = unsafe withLoopback(port: port) { unsafe connect(fd, $0, $1) }
        guard result == 0 else { throw CaseFailure("cannot connect to \(endpoint)") }
    }

    deinit { close(descriptor) }

    /// Sends bytes. An error is ignored, because the other side may have closed.
    public func send(_ bytes: [UInt8]) {
        let fd = descriptor
        _ = unsafe bytes.withUnsafeBytes { unsafe Foundation.send(fd, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Ends what is sent; the other side finds the end behind the last byte. What it says can still be read.
    public func finishSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

    /// Reads so many bytes.
    /// - Returns: fewer when the other side has closed, or nothing has come for ten seconds.
    public func read(byteCount: Int) -> [UInt8] {
        limitWaits(descriptor)
        var result: [UInt8] = []
        while result.count < byteCount {
            var bytes = [UInt8](repeating: 0, count: byteCount - result.count)
            let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            result += bytes.prefix(count)
        }
        return result
    }

    /// Reads what is there, once something is.
    /// - Returns: nothing when the other side has closed, or nothing has come for ten seconds.
    public func readSome() -> [UInt8] {
        limitWaits(descriptor)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Reads until the other side closes the connection.
    /// - Returns: the bytes; nil when nothing has come for ten seconds and the connection is still open.
    public func readToEnd() -> [UInt8]? {
        limitWaits(descriptor)
        var result: [UInt8] = []
        while true {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
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

func makeSocket() -> CInt {
    #if os(Linux)
        socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #else
        socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

/// Lends the address of a port of this host.
func withLoopback(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafePointer(to: address) { pointer in
        // A sockaddr_in begins as every sockaddr does, and the call is told its length.
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
}

/// Ends a wait for the other side after ten seconds.
func limitWaits(_ descriptor: CInt) {
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
}
