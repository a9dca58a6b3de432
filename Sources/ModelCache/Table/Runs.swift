/// Searches for runs of taken places in a table with linear probing. For tests.
enum Runs {
    /// The length of the longest run. A run ends at the last place, although probing goes on at the first.
    static func longest(count: Int, _ isTaken: (Int) -> Bool) -> Int {
        var (longest, run) = (0, 0)
        for place in 0..<count {
            run = isTaken(place) ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}
