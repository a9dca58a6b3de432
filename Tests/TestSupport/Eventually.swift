/// Waits until `condition` holds, and yields to other tasks between two looks at it.
///
/// ```swift
/// #expect(await eventually { cache.count == 3 })
/// ```
/// - Parameter limit: how long to wait at most; reached only when something is broken. It is long, so that a machine
///   whose disk or processor is busy for a minute fails no test.
/// - Returns: false when the limit passed and the condition still does not hold.
public func eventually(
    within limit: Duration = .seconds(120), _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now >= deadline { return false }
        await Task.yield()
    }
    return true
}
