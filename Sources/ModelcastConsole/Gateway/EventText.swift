import ModelCache
import ModelJSON
import ModelRecord
import NIOCore

/// The events of a stream that wait to be written, as text (server-sent events, of the HTML standard).
struct EventText {
    private let epoch: String
    private var bytes = ByteBuffer()
    /// The last event of a commit stands there without its end: others of the commit may follow.
    private var isOpen = false

    init(epoch: String) { self.epoch = epoch }

    var byteCount: Int { bytes.readableBytes }
    var isEmpty: Bool { bytes.readableBytes == 0 }

    /// Takes everything to be written.
    mutating func take() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// Says how soon a reader is to come back: in milliseconds.
    mutating func writeRetry() { bytes.writeString("retry: 1000\n\n") }

    /// Says that what the reader has is to be thrown away: the state comes, and nothing goes on.
    mutating func writeReset() {
        bytes.writeString("id: \(epoch)-\(ChangePosition.none)\nevent: reset\n")
        bytes.writeString(
            #"data: {"reason":"what came behind the last event is not known here any more"}"# + "\n\n")
    }

    /// Writes a model of the state.
    mutating func writeState(_ type: String, _ record: CellRecord, _ version: Version, _ form: JSONForm) {
        var writer = JSONWriter(form)
        writer.write(type: type, model: record, version: version)
        bytes.writeString("id: \(epoch)-\(ChangePosition.none)\nevent: snapshot\ndata: ")
        bytes.writeBytes(writer.bytes)
        bytes.writeString("\n\n")
    }

    /// Says that the state is complete, or that all that was missed has come: changes follow.
    mutating func writeLive(_ commitNumber: UInt64, isReady: Bool, isResumed: Bool) {
        bytes.writeString("id: \(epoch)-\(commitNumber)\nevent: live\n")
        bytes.writeString("data: {\"ready\":\(isReady),\"resumed\":\(isResumed)}\n\n")
    }

    /// Says that the stream lives, and whether the copy may be relied on.
    /// - Parameter commitNumber: everything up to this commit has been told.
    mutating func writeHeartbeat(_ commitNumber: UInt64, isReady: Bool) {
        bytes.writeString("id: \(epoch)-\(commitNumber)\nevent: heartbeat\ndata: {\"ready\":\(isReady)}\n\n")
    }

    /// Adds events of a commit, the last one without its end.
    mutating func add(_ events: ArraySlice<UInt8>) {
        guard !events.isEmpty else { return }
        if isOpen { bytes.writeBytes(EncodedChanges.following) }
        bytes.writeBytes(events)
        isOpen = true
    }

    /// Ends the last event of a commit.
    mutating func closeCommit() {
        guard isOpen else { return }
        bytes.writeBytes(EncodedChanges.closing)
        isOpen = false
    }
}
