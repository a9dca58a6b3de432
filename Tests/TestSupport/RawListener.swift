import Foundation

/// A TCP port of this host at which a test takes connections, and reads what clients say.
public final class RawListener: Sendable {
    private let descriptor: CInt
    /// The endpoint for clients.
    public let endpoint: String

    /// Listens at a free port.
    /// - Throws: ``CaseFailure`` when the system gives none.
    public init() throws {
        descriptor = makeSocket()
        let fd = descriptor
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withLoopback(port: 0) { unsafe bind(fd, $0, $1) }
        let named = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            // As above; the call writes no more than this many bytes.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(fd, $0, &length) }
        }
        endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        guard bound == 0, named == 0, listen(fd, 8) == 0 else {
            close(descriptor)
            throw CaseFailure("cannot listen")
        }
    }

    deinit { close(descriptor) }

    /// The next connection. Blocks until a client has connected, for ten seconds at most.
    /// - Throws: ``CaseFailure`` when none has.
    public func accept() throws -> RawConnection {
        limitWaits(descriptor)
        let accepted = Foundation.accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw CaseFailure("nobody has connected to \(endpoint)") }
        return RawConnection(accepted)
    }
}
