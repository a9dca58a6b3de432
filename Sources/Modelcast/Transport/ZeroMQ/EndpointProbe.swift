import Foundation
import ModelCache

/// Finds out, step by step, why a publisher does not answer: name, connection, greeting, protocol.
package enum EndpointProbe {
    /// The limit for one step.
    private static let patience = Duration.seconds(1)

    /// The fault at a control endpoint, in one line that says what to do; nil when a publisher answers there.
    package static func diagnose(_ endpoint: String, _ security: Security?) async -> EndpointFault? {
        if let fault = await checkConnection(endpoint) { return fault }
        do {
            _ = try await ControlClient(endpoint: endpoint, timeout: patience, security: security).welcome()
            return nil
        } catch let error as ModelcastError where error.code == .timeout {
            return EndpointFault(
                reason: "\(endpoint) speaks ZeroMQ but has not answered as a Modelcast publisher within a second; if "
                    + "it is not just busy, give a publisher's control endpoint, not its stream")
        } catch {
            return EndpointFault(reason: "\(error)")
        }
    }

    /// The fault that shows before any message is sent; nil when the other side speaks ZeroMQ.
    package static func checkConnection(_ endpoint: String) async -> EndpointFault? {
        let answer = Answer()
        return await withCheckedContinuation { continuation in
            // The system's look-up of names may take long and cannot be interrupted. The thread is abandoned then.
            answer.set(continuation)
            let thread = Thread { answer.settle(connect(endpoint)) }
            thread.name = "modelcast-probe"
            thread.start()
            DispatchQueue.global().asyncAfter(deadline: .now() + patience.seconds * 3) {
                answer.settle(
                    EndpointFault(reason: "\(endpoint) cannot be looked up; the name service does not answer"))
            }
        }
    }

    /// Resumes a continuation with the first answer.
    private final class Answer: Sendable {
        private let continuation = Guarded<CheckedContinuation<EndpointFault?, Never>?>(nil)

        func set(_ new: CheckedContinuation<EndpointFault?, Never>) { continuation.withLock { $0 = new } }

        func settle(_ fault: EndpointFault?) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: fault)
        }
    }

    private static func connect(_ endpoint: String) -> EndpointFault? {
        guard let rest = endpoint.split(separator: "://", maxSplits: 1).last.map(String.init) else {
            return EndpointFault(reason: "\(endpoint) is no endpoint")
        }
        if endpoint.hasPrefix("ipc://") {
            guard let address = UnixAddress(path: rest) else {
                return EndpointFault(reason: "\(endpoint) has a path that is too long")
            }
            return unsafe address.withPointer { pointer, length in
                unsafe greet(endpoint, family: AF_UNIX, address: pointer, length: length)
            }
        }
        guard let colon = rest.lastIndex(of: ":") else { return EndpointFault(reason: "\(endpoint) has no port") }
        var host = String(rest[..<colon])
        // libzmq looks names up for IPv4 only, as IPv6 is on for addresses in brackets.
        let family = host.hasPrefix("[") ? AF_INET6 : AF_INET
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return connect(endpoint, host: host, port: String(rest[rest.index(after: colon)...]), family: family)
    }

    private static func connect(_ endpoint: String, host: String, port: String, family: CInt) -> EndpointFault? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = family
        unsafe hints.ai_socktype = SocketKind.stream
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, port, &hints, &found)
        guard code == 0, let first = unsafe found else {
            let reason = unsafe String(cString: gai_strerror(code))
            return EndpointFault(
                reason: "cannot resolve host \(host): \(reason); check its spelling and the name service")
        }
        defer { unsafe freeaddrinfo(first) }
        // The list and its addresses live until freeaddrinfo, which is called last.
        var failure: EndpointFault?
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let candidate = unsafe next {
            let info = unsafe candidate.pointee
            guard let address = unsafe info.ai_addr else { break }
            failure = unsafe greet(endpoint, family: info.ai_family, address: address, length: info.ai_addrlen)
            if failure == nil { return nil }
            unsafe next = unsafe info.ai_next
        }
        return failure
    }

    /// Connects, and reads the ten bytes with which every ZeroMQ socket begins.
    private static func greet(
        _ endpoint: String, family: CInt, address: UnsafePointer<sockaddr>, length: socklen_t
    ) -> EndpointFault? {
        let descriptor = socket(family, SocketKind.stream, 0)
        guard descriptor >= 0 else {
            return EndpointFault(reason: "cannot open a socket for \(endpoint): \(systemMessage(errno))")
        }
        defer { close(descriptor) }
        // Limits both connecting and reading.
        var limit = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        if unsafe Foundation.connect(descriptor, address, length) != 0 {
            return unreachable(endpoint, errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno)
        }
        var greeting: [UInt8] = []
        while greeting.count < 10 {
            var bytes = [UInt8](repeating: 0, count: 10 - greeting.count)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            greeting += bytes.prefix(count)
        }
        guard greeting.count == 10, greeting[0] == 0xFF, greeting[9] == 0x7F else {
            // The host has let the connection in, so the network is there, and a process that lives would have greeted.
            return EndpointFault(
                reason: "what listens at \(endpoint) does not speak ZeroMQ, or hangs; "
                    + "give a publisher's control endpoint",
                isAbsence: true)
        }
        return nil
    }

    private static func unreachable(_ endpoint: String, _ code: CInt) -> EndpointFault {
        // A socket file without a process refuses, and one that is gone was taken away in good order.
        EndpointFault(
            reason: "cannot reach \(endpoint): \(systemMessage(code)); start the publisher or relay, or check the "
                + "address",
            isAbsence: code == ECONNREFUSED || code == ENOENT)
    }
}

extension Duration {
    /// The duration in seconds, for interfaces that take a floating-point number.
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
