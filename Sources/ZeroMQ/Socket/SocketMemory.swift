internal import CLibZMQ

/// The memory that messages took.
public enum SocketMemory {
    /// Gives free memory back to the system. What libzmq's threads release stays with the process otherwise, where it
    /// lies between what is still in use.
    ///
    /// - Complexity: O(*n*) in the memory of the process; other threads that allocate wait for some milliseconds.
    public static func giveBack() { clibzmq_give_memory_back() }
}
