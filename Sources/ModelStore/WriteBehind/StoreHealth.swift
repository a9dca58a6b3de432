/// Whether changes reach the disk.
public enum StoreHealth: Sendable, Hashable {
    /// Writing works, as far as is known.
    case good
    /// Writing fails, for this reason. While the process lives no noted change is lost; the store tries again by
    /// itself.
    case degraded(StoreError)
}
