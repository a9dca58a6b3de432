internal import CLibZMQ

/// The memory of messages.
public enum SocketMemory {
    /// Gives free memory back to the system. Otherwise memory that libzmq's threads have released stays with the
    /// process, where it lies between memory that is still in use.
    ///
    /// - Complexity: O(*n*) in the memory of the process; other threads that allocate wait for some milliseconds.
    public static func giveBack() { clibzmq_give_memory_back() }
}
