/// Waits until `condition` holds. Between two looks at it is a millisecond, in which what is waited for has the
/// processor: a test that looked all the time would take one core of two.
///
/// ```swift
/// #expect(await eventually { cache.count == 3 })
/// ```
/// - Parameter limit: how long to wait at most; reached only when something is broken. It is long, so that a machine
///   whose disk or processor is busy for a minute fails no test.
/// - Returns: false when the limit passed, or the task was cancelled, and the condition still does not hold.
public func eventually(
    within limit: Duration = .seconds(120), _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now >= deadline || Task.isCancelled { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
