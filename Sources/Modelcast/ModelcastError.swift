import ModelRecord
import ModelStore
public import ModelTypes
import ModelWire
import ZeroMQ

/// Why a call of a publisher, relay, subscriber or client failed.
public struct ModelcastError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. The set is open: later versions may add some.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, as the command prints it.
        public let rawValue: String
        /// Makes a kind of its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text is not an endpoint, or an endpoint cannot be bound or connected.
        public static let endpoint = Code(rawValue: "endpoint")
        /// A setting has a value outside its range.
        public static let configuration = Code(rawValue: "configuration")
        /// A type, id or field name, or a value, is outside the limits.
        public static let badInput = Code(rawValue: "bad-input")
        /// A constant field of a model already has another value.
        public static let constant = Code(rawValue: "constant")
        /// A model is not as the writer took it to be. Nothing was changed.
        public static let conflict = Code(rawValue: "conflict")
        /// A model that is to be changed does not exist in the copy of the writer. Nothing was changed.
        public static let notFound = Code(rawValue: "not-found")
        /// Fields of a model cannot travel, or its record does not make one: see ``ModelcastError/problem``.
        public static let model = Code(rawValue: "model")
        /// Too much waits to be sent. Nothing was changed, and the same write can be repeated when there is room.
        public static let outboxFull = Code(rawValue: "outbox-full")
        /// The expected event did not happen in time.
        public static let timeout = Code(rawValue: "timeout")
        /// The publisher, relay or subscriber has stopped, or has run already.
        public static let stopped = Code(rawValue: "stopped")
        /// A relay refuses the batches that are pushed to it.
        public static let push = Code(rawValue: "push")
        /// The other side speaks another version of the protocol.
        public static let version = Code(rawValue: "version")
        /// A store cannot be opened, or the disk refuses what must be on it.
        public static let store = Code(rawValue: "store")
        /// The other side is busy, or has just started.
        public static let busy = Code(rawValue: "busy")
        /// The request asked for more than the other side answers at once.
        public static let limit = Code(rawValue: "limit")
        /// The two sides do not trust each other's keys, or one has none.
        public static let security = Code(rawValue: "security")
        /// The messaging library failed.
        public static let messaging = Code(rawValue: "messaging")
    }

    /// The kind of failure.
    public let code: Code
    /// The event and what to do, in words for a person.
    public let message: String
    /// The fields that are in the way, where the code is ``Code/model`` or ``Code/constant``.
    public let problem: ModelProblem?

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the message. It may quote text of a peer, so line breaks in it are escaped, and it is shortened.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, nil)
    }

    init(_ code: Code, _ message: String, _ problem: ModelProblem?) {
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

    /// The same as ``message``.
    public var description: String { message }
}
