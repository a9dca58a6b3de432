import ModelStore
import ModelSync
import ZeroMQ

/// What a subscriber's users and its socket thread share, behind one lock.
struct SubscriberCore {
    var waker: Waker?
    var isStopped = false
    var hasRun = false
    /// The last that the replica said of itself.
    var status: SubscriberStatus
}
