/// Whether what is in memory reaches the disk.
public enum StoreHealth: Sendable, Hashable {
    case good
    /// Writing fails, for this reason. Nothing noted is lost while the process lives; it is tried again by itself.
    case degraded(StoreError)
}
