import Logging

/// A log handler that leaves some messages out: those that the command tells a person in a line of its own.
struct LogSelection: LogHandler {
    private var next: any LogHandler
    private let leftOut: Set<String>

    /// - Parameter leftOut: whole messages, which works because the library's messages are constant.
    init(_ next: any LogHandler, leavingOut leftOut: Set<String>) {
        self.next = next
        self.leftOut = leftOut
    }

    func log(event: LogEvent) {
        if !leftOut.contains("\(event.message)") { next.log(event: event) }
    }

    var logLevel: Logger.Level {
        get { next.logLevel }
        set { next.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { next.metadata }
        set { next.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { next[metadataKey: key] }
        set { next[metadataKey: key] = newValue }
    }
}
