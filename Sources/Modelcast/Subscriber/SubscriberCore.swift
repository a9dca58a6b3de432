import ModelStore
import ModelSync
import ZeroMQ

/// The state that a subscriber's users and its socket thread share, behind one lock.
struct SubscriberCore: ThreadServiceCore {
    var waker: Waker?
    var isStopped = false
    var hasRun = false
    /// The last status of the replica.
    var status: SubscriberStatus
    /// Models that tasks want, and what has come for them.
    var fetches = FetchDesk()
}
