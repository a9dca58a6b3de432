import ModelCache
import Testing

struct LimitProblemTests {
    @Test(arguments: [
        (CacheLimits(types: ["User": ModelLimits()]), "User has no limit at all"),
        (CacheLimits(types: ["User": ModelLimits(count: 0)]), "at least 1 has to fit"),
        (CacheLimits(types: ["User": ModelLimits(count: -5)]), "User is limited to -5 models"),
        (CacheLimits(types: ["User": ModelLimits(bytes: 10)]), "at least 1024 are needed"),
        (CacheLimits(types: ["User": ModelLimits(idle: .milliseconds(1))]), "one second is the least"),
        (CacheLimits(types: ["": ModelLimits(count: 1)]), "a limit has no type"),
        (CacheLimits(all: ModelLimits()), "everything together has no limit at all"),
        (
            CacheLimits(types: ["User": ModelLimits(count: 50)], all: ModelLimits(count: 10)),
            "User may have 50 models, and everything together 10"
        ),
        (
            CacheLimits(types: ["User": ModelLimits(bytes: 5_000)], all: ModelLimits(bytes: 2_000)),
            "User may have 5000 bytes, and everything together 2000"
        ),
    ])
    func `limits of nothing, or that contradict each other, are refused with what is wrong`(
        _ limits: CacheLimits, _ words: String
    ) {
        #expect(limits.problem?.contains(words) ?? false)
    }

    @Test func `limits that can be kept have no problem`() {
        #expect(CacheLimits().problem == nil)
        let limits = CacheLimits(
            types: ["User": ModelLimits(count: 10, bytes: 4_096, idle: .seconds(60))], all: ModelLimits(count: 10))
        #expect(limits.problem == nil)
    }
}
