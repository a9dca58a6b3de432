internal import CLibZMQ

extension Socket {
    /// Sends a message without waiting. On ``SendOutcome/sent`` the variable is empty afterwards; otherwise it is
    /// unchanged and can be sent again.
    ///
    /// Frames of one message are sent one after the other, all but the last with `more`. A ROUTER decides on
    /// the first frame, the routing id: when that is not sent, do not send the others. Should a later frame meet
    /// ``SendOutcome/wouldBlock``, the peer has just vanished and the whole message is void: start it again.
    ///
    /// - Throws: ``ZeroMQError/Code/notSupportedBySocket`` (a SUB cannot send), ``ZeroMQError/Code/wrongState``.
    /// - Complexity: O(1); no allocation, and the bytes are not copied.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func send(_ message: inout Message, more: Bool = false) throws(ZeroMQError) -> SendOutcome {
        let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
        let result = retryingInterrupts { unsafe clibzmq_message_send(&message.content, raw, flags) }
        if result >= 0 { return .sent }
        switch -result {
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unroutable
        default: throw failure(result, "zmq_msg_send", "\(kind)")
        }
    }

    /// Sends a message without waiting. **The message is gone whatever the outcome says.**
    ///
    /// For a message that can be made again, or whose loss the layer above repairs. Keep a message that must not
    /// be lost in a variable and use the form that takes it by `&`.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func send(_ message: consuming Message, more: Bool = false) throws(ZeroMQError) -> SendOutcome {
        try send(&message, more: more)
    }

    /// The next frame, or nil when none has come. Never waits; a ``Poller`` does.
    ///
    /// All frames of a message arrive together: after one with ``Message/hasMore`` the next is never nil.
    ///
    /// - Complexity: O(1); no allocation, and the bytes are not copied.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func receive() throws(ZeroMQError) -> Message? {
        var message = Message()
        guard try receive(into: &message) else { return nil }
        return message
    }

    /// Replaces `message` by the next frame. Returns false when none has come, and then `message` is empty.
    ///
    /// The same as ``receive()``, for a loop that uses one variable again and again.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func receive(into message: inout Message) throws(ZeroMQError) -> Bool {
        let result = retryingInterrupts { unsafe clibzmq_message_receive(&message.content, rawForLook, ZMQ_DONTWAIT) }
        handle.isKnownEmpty = result == -EAGAIN
        if result >= 0 { return true }
        if result == -EAGAIN { return false }
        throw failure(result, "zmq_msg_recv", "\(kind)")
    }
}
