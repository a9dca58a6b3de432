import Foundation
import Modelcast
import Synchronization

/// Finds out, step by step, why a publisher does not answer: the name, the connection, the greeting, the protocol.
enum EndpointProbe {
    /// How long one step may take.
    static let patience = Duration.seconds(1)

    /// What is wrong at a control endpoint, in one line with what to do; nil when a publisher answers there.
    static func diagnose(_ endpoint: String, _ security: Security?) async -> String? {
        if let line = await checkConnection(endpoint) { return line }
        do {
            _ = try await ControlClient(endpoint: endpoint, timeout: patience, security: security).welcome()
            return nil
        } catch let error as ModelcastError where error.code == .timeout {
            return "\(endpoint) speaks ZeroMQ but does not answer as a Modelcast publisher; "
                + "give a publisher's control endpoint, not its stream"
        } catch {
            return "\(error)"
        }
    }

    /// What is wrong before any message is sent; nil when something there speaks ZeroMQ.
    static func checkConnection(_ endpoint: String) async -> String? {
        let answer = Answer()
        return await withCheckedContinuation { continuation in
            // The system's look-up of names may take long and cannot be interrupted: it is left behind then.
            answer.set(continuation)
            let thread = Thread { answer.settle(connect(endpoint)) }
            thread.name = "modelcast-probe"
            thread.start()
            DispatchQueue.global().asyncAfter(deadline: .now() + patience.seconds * 3) {
                answer.settle("\(endpoint) cannot be looked up; the name service does not answer")
            }
        }
    }

    /// The first answer counts.
    private final class Answer: Sendable {
        private let continuation = Mutex<CheckedContinuation<String?, Never>?>(nil)

        func set(_ new: CheckedContinuation<String?, Never>) { continuation.withLock { $0 = new } }

        func settle(_ line: String?) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: line)
        }
    }

    private static func connect(_ endpoint: String) -> String? {
        guard let rest = endpoint.split(separator: "://", maxSplits: 1).last.map(String.init) else {
            return "\(endpoint) is no endpoint"
        }
        if endpoint.hasPrefix("ipc://") {
            guard let address = UnixAddress(path: rest) else { return "\(endpoint) has a path that is too long" }
            return unsafe address.withPointer { pointer, length in
                unsafe greet(endpoint, family: AF_UNIX, address: pointer, length: length)
            }
        }
        guard let colon = rest.lastIndex(of: ":") else { return "\(endpoint) has no port" }
        let host = rest[..<colon].trimmingCharacters(in: ["[", "]"])
        return connect(endpoint, host: host, port: String(rest[rest.index(after: colon)...]))
    }

    private static func connect(_ endpoint: String, host: String, port: String) -> String? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = SocketKind.stream
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, port, &hints, &found)
        guard code == 0, let first = unsafe found else {
            let reason = unsafe String(cString: gai_strerror(code))
            return "cannot resolve host \(host): \(reason); check its spelling and the name service"
        }
        defer { unsafe freeaddrinfo(first) }
        // The list and the addresses in it live until freeaddrinfo, which comes last.
        var failure: String?
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
    ) -> String? {
        let descriptor = socket(family, SocketKind.stream, 0)
        guard descriptor >= 0 else { return "cannot open a socket for \(endpoint): \(systemMessage(errno))" }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if unsafe Foundation.connect(descriptor, address, length) != 0 {
            guard errno == EINPROGRESS else { return unreachable(endpoint, errno) }
            guard wait(descriptor, for: POLLOUT) else { return unreachable(endpoint, ETIMEDOUT) }
            var code: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { return unreachable(endpoint, code) }
        }
        var greeting: [UInt8] = []
        while greeting.count < 10, wait(descriptor, for: POLLIN) {
            var bytes = [UInt8](repeating: 0, count: 10 - greeting.count)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            greeting += bytes.prefix(count)
        }
        guard greeting.count == 10, greeting[0] == 0xFF, greeting[9] == 0x7F else {
            return "what listens at \(endpoint) does not speak ZeroMQ; give a publisher's control endpoint"
        }
        return nil
    }

    private static func unreachable(_ endpoint: String, _ code: CInt) -> String {
        "cannot reach \(endpoint): \(systemMessage(code)); start the publisher, or check the address"
    }

    private static func wait(_ descriptor: CInt, for event: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return unsafe poll(&request, 1, CInt(patience.seconds * 1000)) > 0
    }
}

extension Duration {
    /// In seconds, for interfaces that count so.
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
