import ModelGrants
import ModelSync

/// The two connections towards one sender. Belongs to the socket thread.
final class SenderLink {
    let sender: SenderID
    let control: ControlLink
    private(set) var stream: (any StreamConnection)?
    /// How many streams were opened before this one.
    private(set) var streamNumber = 0
    /// How many messages and bytes of the stream are in the checker of seals, or have come out of it and wait here.
    var checked = (count: 0, byteCount: 0)
    /// The messages that have come out of the checker, from the next one on.
    var answered: ArraySlice<SealChecker.Message> = []
    var pause = ReconnectPause()
    /// The owner of the sender's key, where there are grants.
    var grantee: Grantee?

    init(sender: SenderID, control: ControlLink) {
        self.sender = sender
        self.control = control
    }

    /// Opens the stream connection, in place of the one that is open.
    func openStream(
        to endpoint: String, on thread: any TransportThread, _ settings: ConnectionSettings
    ) throws(ModelcastError) {
        forgetStream()
        stream = try thread.listen(to: endpoint, of: control.endpoint, settings)
    }

    /// Closes both connections.
    /// - Parameter openAt: when to open them again; nil for never.
    func close(openAt: UInt64? = nil) {
        control.close(openAt: openAt)
        forgetStream()
    }

    private func forgetStream() {
        stream = nil
        streamNumber += 1
    }
}
