import ModelRecord
import ModelStore
public import ModelTypes
import ModelWire
import ZeroMQ

/// Why a publisher or subscriber could not do what it was asked to.
public struct ModelcastError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. An open set: more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An endpoint is not one, or cannot be bound or connected.
        public static let endpoint = Code(rawValue: "endpoint")
        /// A setting has a value outside its range.
        public static let configuration = Code(rawValue: "configuration")
        /// A type, id or field name, or a value, is outside the limits.
        public static let badInput = Code(rawValue: "bad-input")
        /// A constant field of a model has another value already.
        public static let constant = Code(rawValue: "constant")
        /// Fields of a model cannot travel, or its record does not make one: see ``ModelcastError/problem``.
        public static let model = Code(rawValue: "model")
        /// Too much waits to be sent: nothing was changed, and the same write can be made again when there is room.
        public static let outboxFull = Code(rawValue: "outbox-full")
        /// What was waited for did not happen in time.
        public static let timeout = Code(rawValue: "timeout")
        /// The publisher or subscriber has been stopped.
        public static let stopped = Code(rawValue: "stopped")
        /// A relay does not take what is pushed to it.
        public static let push = Code(rawValue: "push")
        /// The other side speaks another version of the protocol.
        public static let version = Code(rawValue: "version")
        /// A store cannot be opened, or the disk does not take what must be on it.
        public static let store = Code(rawValue: "store")
        /// The other side has too much to do, or has just started.
        public static let busy = Code(rawValue: "busy")
        /// More was asked for at once than the other side answers.
        public static let limit = Code(rawValue: "limit")
        /// The two sides do not trust each other's keys, or one has none.
        public static let security = Code(rawValue: "security")
        /// The messaging library failed.
        public static let messaging = Code(rawValue: "messaging")
    }

    public let code: Code
    /// What happened and what to do, for a person.
    public let message: String
    /// The fields that are in the way, where the code is ``Code/model``.
    public let problem: ModelProblem?

    /// - Parameters:
    ///   - code: what kind of error it is.
    ///   - message: may quote what a peer has sent: it is kept on one line.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, nil)
    }

    private init(_ code: Code, _ message: String, _ problem: ModelProblem?) {
        self.code = code
        self.message = message.shown(byteCountMax: ModelcastError.messageByteCountMax)
        self.problem = problem
    }

    private static let messageByteCountMax = 8192

    init(_ problem: ModelProblem) { self.init(.model, problem.description, problem) }
    init(_ error: NameError) { self.init(.badInput, error.description) }
    init(_ error: WireError) { self.init(.badInput, error.description) }
    init(_ error: StoreError) { self.init(.store, error.description) }
    init(_ error: ZeroMQError) { self.init(.messaging, error.description) }

    public var description: String { message }

    /// Notes that a service runs.
    /// - Throws: where it has run before: what it held is closed.
    static func require(_ hasRun: inout Bool, _ name: String) throws(ModelcastError) {
        guard !hasRun else {
            throw ModelcastError(.stopped, "this \(name) has run already, and runs once: make a new one")
        }
        hasRun = true
    }
}
