internal import CLibZMQ

/// How the kernel treats the waits of a thread.
public enum ThreadTiming {
    /// Ends the timed waits of the calling thread on time: by default Linux makes them up to 50 µs longer. For threads
    /// that wait for less than a millisecond. Elsewhere, or where the kernel refuses, nothing changes.
    @available(*, noasync, message: "a task hops threads: use a thread of your own")
    public static func sharpenTimers() { clibzmq_sharpen_timers() }
}
