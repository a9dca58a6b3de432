internal import CLibZMQ

/// A failed call of libzmq: the call, its subject, and what to do.
///
/// Would-block and an unroutable peer are outcomes of `send(_:more:)`, not errors.
public struct ZeroMQError: Error, Hashable, Sendable {
    /// The kind of failure. Compare it with the static members of ``Code``.
    public let code: Code

    /// The libzmq function that failed, such as `zmq_bind`.
    public let call: String

    /// The endpoint, or the option and its value; nil where the call has no subject.
    public let detail: String?

    /// Makes an error. `call` is the name of the function that failed.
    public init(_ code: Code, call: String, detail: String? = nil) {
        self.code = code
        self.call = call
        self.detail = detail
    }

    /// libzmq's text for ``code``, such as `Address already in use`.
    public var message: String {
        guard let text = unsafe zmq_strerror(code.rawValue) else { return "error \(code.rawValue)" }
        return unsafe String(cString: text)
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// One line for a person: call, subject, reason, and for common failures what to do.
    public var description: String {
        let subject = detail.map { " \($0)" } ?? ""
        let advice = advice.map { ": \($0)" } ?? ""
        return "\(call)\(subject): \(message)\(advice)"
    }

    private var advice: String? {
        let isEndpointCall = ["zmq_bind", "zmq_connect", "zmq_disconnect", "zmq_unbind"].contains(call)
        switch code {
        case .addressInUse:
            return "another process (or socket) listens there; stop it or choose another port or path"
        case .fileExists:
            return "what stands there is no socket, and is left as it is; move it away or choose another path"
        case .noSuchDevice, .addressNotAvailable:
            return "this host has no such interface or address; use an address of this host, or * for all"
        case .accessDenied, .notPermitted:
            return "a port below 1024 or a path that this user may not write; choose another or grant the right"
        case .noSuchFile:
            return isEndpointCall ? "unknown endpoint, or the directory of an ipc path does not exist" : nil
        case .invalidArgument where isEndpointCall:
            return "write tcp://host:port (host * and port * when binding) or ipc:///path/of/socket"
        case .protocolNotSupported:
            return "only tcp://, ipc:// and inproc:// work with this socket"
        case .nameTooLong:
            return "an ipc path has at most 107 bytes; use a shorter directory"
        case .connectionRefused where call == "zmq_connect":
            return "nobody has bound that inproc name in this context"
        case .tooManyOpenFiles:
            return "raise the limit of open files, or Context's maxSockets"
        case .notSupportedBySocket:
            return "this kind of socket cannot do that"
        case .wrongState:
            return "the multi-frame or request-reply order was broken"
        case .terminated:
            return "its context is shutting down; close the socket"
        default:
            return nil
        }
    }
}

extension ZeroMQError {
    /// The error numbers of the system and of libzmq. The set is open: any number may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The error number.
        public let rawValue: CInt

        /// Makes the value of an error number.
        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// EADDRINUSE: the port or path is taken.
        public static let addressInUse = Code(rawValue: EADDRINUSE)
        /// EADDRNOTAVAIL: this host does not have the address.
        public static let addressNotAvailable = Code(rawValue: EADDRNOTAVAIL)
        /// ENODEV: unknown interface, or a host name that does not resolve.
        public static let noSuchDevice = Code(rawValue: ENODEV)
        /// EACCES: a privileged port, or a directory without write permission.
        public static let accessDenied = Code(rawValue: EACCES)
        /// EPERM.
        public static let notPermitted = Code(rawValue: EPERM)
        /// ENOENT: the endpoint to unbind or disconnect is unknown, or a directory is missing.
        public static let noSuchFile = Code(rawValue: ENOENT)
        /// EINVAL: malformed endpoint, or an option value out of range.
        public static let invalidArgument = Code(rawValue: EINVAL)
        /// EPROTONOSUPPORT: unknown transport.
        public static let protocolNotSupported = Code(rawValue: EPROTONOSUPPORT)
        /// ENOCOMPATPROTO: the transport does not fit the kind of socket.
        public static let incompatibleProtocol = Code(rawValue: ENOCOMPATPROTO)
        /// ENAMETOOLONG: an ipc path beyond the system's limit.
        public static let nameTooLong = Code(rawValue: ENAMETOOLONG)
        /// ECONNREFUSED.
        public static let connectionRefused = Code(rawValue: ECONNREFUSED)
        /// EHOSTUNREACH: a ROUTER has no peer with that routing id.
        public static let hostUnreachable = Code(rawValue: EHOSTUNREACH)
        /// EEXIST: the file at an ipc path is not a socket.
        public static let fileExists = Code(rawValue: EEXIST)
        /// EMFILE: no descriptors are left, or the context's socket limit is reached.
        public static let tooManyOpenFiles = Code(rawValue: EMFILE)
        /// ENOMEM.
        public static let outOfMemory = Code(rawValue: ENOMEM)
        /// ENOTSUP: sending on a SUB, receiving on a PUB, an option that Modelcast refuses.
        public static let notSupportedBySocket = Code(rawValue: ENOTSUP)
        /// EFSM: a REQ or REP used out of order.
        public static let wrongState = Code(rawValue: EFSM)
        /// ETERM: the context is being terminated.
        public static let terminated = Code(rawValue: ETERM)
        /// EAGAIN: nothing to receive, or no room to send. Send and receive return an outcome instead.
        public static let wouldBlock = Code(rawValue: EAGAIN)
        /// EINTR: a signal came. The call is repeated, and this is never thrown.
        public static let interrupted = Code(rawValue: EINTR)
        /// EPROTO: a rule of the protocol does not hold. The self-test of CURVE at a start fails with it.
        public static let protocolError = Code(rawValue: EPROTO)
    }
}
