import ModelcastSimulation
import Testing

/// Seeds that failed once, each with what it found. A mend changes what happens in a seed, so a test made by hand
/// stands beside each; the seeds are what is cheap to keep.
@Suite struct RegressionSeedTests {
    static let seeds: [(seed: UInt64, found: String)] = [
        (2_651_144_940, "a hole that stays for good stopped every audit of its type"),
        (7_781_598, "a part that a relay had acknowledged went with the store's batches when its job started again"),
        (90_016_707, "the checker knew of no hole of those who join a relay between two parts of a publisher"),
        (90_026_365, "the checker took a batch for within reach that only a relay held which is not heard here"),
        (90_000_901, "the checker counted a delete that a relay was told after others had forgotten it"),
        (90_023_219, "a part held over a long absence went into the state built anew, and undid a delete"),
        (90_006_200, "a relay told one part of a transaction and not the next, for a hole of its own"),
        (90_015_700, "a relay forgot at its restart that a later start of a job had closed an earlier one"),
        (90_023_195, "the same, where only another relay's heads had told of the later start"),
        (420_000_000_437, "half of what a job's earlier start had begun showed at a relay after copies were taken"),
        (860_000_001_834, "what a start had written that lay too far ahead was not taken over from the next"),
        (880_000_010_185, "the checker knew of no hole of those to whom a second snapshot is on its way"),
        (864_000_000_770, "a relay that was deceived told the false head on, though others had told it less"),
        (863_000_000_731, "the checker: a state built anew let go of old pushes that a liar says to hold"),
        (865_000_001_253, "a start that was taken back twice forgot what had been received of it"),
        (865_000_002_092, "a start that its claimant had taken back itself was followed for good"),
        (264_997_395_206_521_283, "an old push that another relay had told of brought a deleted model back"),
        (495_252_534_174_155_075, "a relay that lagged for good was never compared, and alone held an earlier start"),
        (900_000_000_506, "a part was lost with all the heads that told of it, and the others showed"),
        (872_000_001_198, "of those who doubted a claim one was asked each time, who told another head each time"),
        (910_000_014_615, "what only a relay had of an earlier start, on a topic that the origin did not tell"),
        (910_604_563_792_284_362, "a push of an old start that another relay had told of counted as merged each time"),
        (391_915_084_548_419_577, "what had come between two claims was forgotten when both fell"),
        (863_000_001_937, "what came of a former start that others claimed to hold was handed on twice"),
        (503_481_835_659_989_169, "a store kept what a liar had just claimed, and its word was taken for true"),
        (868_000_001_317, "a store kept a start that a liar had claimed, and pushes of the true one were denied"),
        (513_919_008_045_538_491, "a stored state that held more than its positions tell was built anew from less"),
        (990_000_031_237, "of a type with transactions one topic was taken, and all counted as taken"),
        (990_000_084_842, "the rest of a transaction was not asked for where the first word of it came late"),
        (960_000_019_244, "a replay brought so old a batch that its delete was forgotten"),
        (960_000_002_428, "a store kept what a liar had claimed of the start before a claimed one"),
        (986_000_006_879, "what was deleted and forgotten while a claimed start was followed stayed"),
        (985_100_007_864, "the same, at a replica"),
        (985_200_006_557, "what an origin had before a start that was followed again after a lie was not taken"),
        (987_000_017_183, "a copy of a relay counted from its end, and was read before an earlier start's push came"),
        (987_000_025_139, "the checker wanted what no digest counts of those whom a liar deceived"),
        (987_000_005_430, "topics that a liar alone claimed kept two copies from being compared"),
        (985_500_012_466, "the checker wanted a delete that no digest counts of a job's start that was not heard of"),
        (985_200_016_590, "one that claimed something else each time took what a relay had stored down with it"),
        (995_000_002_558, "of topics that a job's pushed later start had not reached a relay told nothing"),
        (995_000_064_371, "a stored state without a position of a stream was built anew from an older copy"),
        (995_000_106_727, "the checker wanted the sequences of what a copy brought from beyond a lost batch"),
        (987_000_009_920, "a store let go of an acknowledged batch for a later start that a liar claimed"),
        (988_000_037_088, "the checker wanted a relay to tell of a liar's later start"),
        (1_001_000_022_185, "what was written anew of stamps that lay ahead lay below what others had taken"),
        (1_001_000_029_048, "an origin's first word on a topic of which a relay had told counted for nothing"),
        (1_006_000_077_876, "what a liar claimed kept a state that is built anew from its end for good"),
        (1_006_000_065_756, "topics that a liar made up kept a relay busy for longer than deletes last"),
        (865_000_002_376, "what another had claimed stayed when the origin itself became a sender"),
        (1_011_000_028_506, "what an origin wrote before it began anew in its snapshot was lost on a liar's word"),
        (1_012_000_002_318, "a part that others had claimed came while the rest waited for it, and was sent on twice"),
        (1_136_719_431_039_191_947, "nobody told a stream of a relay's models, and one that had joined lacked them"),
        (1_013_000_089_644, "a relay that started again did not know that a job had sent transactions"),
        (1_013_000_035_427, "the checker wanted no hole of one that joined a relay while that had a hole itself"),
        (715_393_178_300_066_238, "a relay that was deceived told too much of an origin, and was never compared with"),
        (1_014_000_081_209, "the checker wanted no relay to send a part of an earlier start's transaction on again"),
        (1_014_000_223_858, "the checker wanted no hole where a job had given up a relay that fell behind"),
        (1_014_000_270_642, "a state built anew lacked what only a relay held that had been deceived about it"),
        (1_014_000_309_990, "a liar kept a relay's digests from being told, and its topics all from being compared"),
        (1_016_000_025_316, "a state built anew took old fields over with a young one, whose removal was forgotten"),
        (1_017_000_084_933, "a liar that claimed ever later starts was never doubted"),
        (1_017_000_092_846, "records of a snapshot under way were taken for a difference"),
        (
            1_023_000_060_171,
            "the checker wanted no pushed batch of a start before one that others had told merged again"
        ),
        (1_023_000_101_277, "a snapshot had half of a transaction of an origin that its relay did not tell"),
        (1_024_000_011_223, "half of a transaction, held for longer than deletes last, brought a deleted model back"),
        (1_022_000_015_566, "relays that told a start only once it could be doubted were taken for liars"),
        (
            1_025_000_256_664,
            "the checker wanted a relay that a liar had told of later starts to know a job's late push from news"
        ),
        (
            1_026_000_039_000,
            "what a relay came to hold late, by no batch, was never taken where a liar claimed it before"
        ),
        (414_500_849_384_947_750, "a relay followed a liar's start, and told the one before"),
        (414_500_849_384_952_743, "a relay told the start before the one that it followed, and lacked a job's write"),
        (414_500_849_384_955_501, "relays that told a start which no batch had proven were blamed for a liar's word"),
    ]

    /// Seeds that failed with every feature that there is.
    static let fullSeeds: [(seed: UInt64, found: String)] = [
        (1_151_518_342_752_783_048, "a state built anew lacked what a relay had passed on and did not hold yet itself"),
        (1_151_518_342_752_775_929, "a liar told a relay of a job's clock, and the relay's word counted for nothing"),
        (1_400_000_012_158, "a relay that began anew lost what was pushed under a name that it had forgotten"),
        (1_400_000_027_960, "a lost replace of a name that is not told had left nothing but its floor"),
        (2_000_000_050_758, "a second copy that was built anew lacked what an earlier start of a job had pushed"),
        (2_000_000_070_080, "a liar told new heads before each could be refuted, and copies were never compared"),
        (2_000_000_140_505, "the checker wanted no hole where a relay showed a part of what a job had not ended"),
        (2_100_000_106_991, "a relay stored a start that liars alone had told, and lost its place in the true one"),
        (2_100_000_135_705, "what a relay showed late of a start that was over came to nobody who followed the next"),
        (2_100_000_025_496, "the checker wanted no hole behind a relay that did not know yet that it had one"),
        (1_003_391_335_070_175_612, "a state was built anew for so long that a removal was forgotten meanwhile"),
        (2_300_000_005_128, "the checker wanted no hole in a start that two clocks which were ahead had let in"),
    ]

    /// Seeds that failed once models could end.
    static let endingSeeds: [(seed: UInt64, found: String)] = [
        (3_000_000_034_219, "a relay without room for one more pushed stream said so as if it were for good"),
        (2_000_000_050_758, "half of an old transaction brought back into a state built anew what had ended since"),
    ]

    /// Seeds that failed once models could be leased.
    static let leaseSeeds: [(seed: UInt64, found: String)] = [
        (6_000_000_002_895, "the time before an origin leased its first model counted as its silence")
    ]

    /// Seeds that failed once clocks could leap, or fail where a protection that was added then is missing.
    static let leapSeeds: [(seed: UInt64, found: String)] = [
        (9_100_000_003_350, "a publisher whose clock leapt ahead forgot a delete of which nobody had heard"),
        (9_000_000_090_246, "a second leap as far was none, and what was written anew lay below what others had"),
        (9_000_000_082_251, "a contact while the clock was ahead made an absence seem short that began then"),
        (9_000_000_097_517, "the same, where a model of the time had ended"),
        (9_000_000_162_324, "the same, with merges alone"),
        (9_000_000_078_041, "a liar's greater stamps made what others told of an origin's age old"),
        (9_300_000_116_220, "a relay took two short leaps for one that had lasted, and forgot a delete on its way"),
        (9_500_000_056_201, "a relay whose clock had just leapt took a sender for long away that had lost its pushes"),
        (9_500_000_033_165, "a copy that was built anew was first looked at by the checker at the next batch"),
        (9_700_000_047_831, "a relay whose clock leapt before its first tick took the leap for the truth"),
        (82_087_409_984_996_581, "an older snapshot counted as the missing part of a transaction that was given up"),
        (9_000_000_131_713, "one type that was signed first kept the others from being compared"),
    ]

    /// Seeds that failed once ids could be equal as texts, or fail where a table takes those for one.
    static let twinSeeds: [(seed: UInt64, found: String)] = [
        (9_900_000_100_612, "a state that was built anew had one of two such models in the other's place: a trap"),
        (9_900_000_021_997, "a repair paused for longer than the others remembered the delete that it lacked"),
        (9_900_000_026_545, "a liar made a relay tell of an origin so rarely that the leases of models ended"),
        (9_900_000_124_142, "a delete that looked old while a clock was ahead was not in the state built anew"),
        (9_900_000_117_418, "the checker did not wait until a start that a liar had made up was doubted"),
        (9_900_000_062_010, "what another part of a transaction changed spoke against a stored position"),
    ]

    /// Seeds that failed without digests, which else mended what was wrong.
    static let undigestedSeeds: [(seed: UInt64, found: String)] = [
        (82_098_811_018_674_268, "a job began anew while a copy was under way, which was of the start before")
    ]

    /// Seeds that failed once processes could be stopped, and liars could flood.
    static let stopSeeds: [(seed: UInt64, found: String)] = [
        (9_900_001_017_368, "an acknowledged push that had come by another relay went when the state was built anew"),
        (9_900_001_037_855, "a repair that waited for a flooding liar kept copies from being compared"),
        (9_900_001_044_954, "what a process that stood still had of a snapshot brought a removed field back"),
        (9_900_002_044_428, "the rest refused, until its time, a start that one with a wrong clock had taken"),
        (9_900_002_063_431, "a hole that one relay could mend waited for a flooding liar that promised more"),
        (9_900_002_080_586, "a hole that one relay could mend waited for a flooding liar, and those behind it too"),
        (9_900_003_080_738, "an origin was told stamps as taken that only a liar had told"),
        (9_900_003_083_663, "records of a copy that was on its way counted as a difference from another sender"),
        (9_900_003_084_828, "what waited for a process that stood still before it had anything came back"),
        (9_900_600_000_699, "a sender whose records lay ahead counted as failing, and a fetch went on without it"),
        (9_900_500_021_862, "an answer to a fetch showed a part of what a start had sent that was over meanwhile"),
        (9_900_200_005_806, "while an origin was left out of a fetch, what it had before its start was not asked for"),
        (9_900_200_005_358, "a liar said to have what a sender had that failed, and half of a model came back"),
        (9_900_300_000_707, "the same, where several requests to that sender had failed at once"),
        (9_900_400_000_915, "a fetch did not wait for a sender that was away, and alone had more"),
        (4_021_623, "a relay told nothing of an origin whose streams had made way, and its leases stayed behind it"),
        (9_900_600_033_421, "a comparison of what is held took a part of what an origin had before its next start"),
        (601_319_593_035_701_275, "the same"),
        (5_003_010, "the checker wanted a batch of a relay whose heads had no room to tell of it"),
    ]

    /// Seeds that failed once copies could be lazy.
    static let lazySeeds: [(seed: UInt64, found: String)] = [
        (5_002_458, "a lazy copy kept an old delete where batches were lost for good, and half a model came"),
        (5_003_742, "one that claimed something else each time kept a model away from a lazy copy"),
        (9_900_700_010_304, "a model was written again after a delete that is held, and nothing told of that"),
        (974_399_578_590_687_937, "after a restart, stamps of the present lay below those that others held"),
        (5_001_271, "a type that a copy met after its limits had changed had the former ones"),
    ]

    /// Seeds that failed once copies could know all ids.
    static let idSeeds: [(seed: UInt64, found: String)] = [
        (9_900_900_012_679, "a liar made a fetch begin anew again and again, and it never ended"),
        (67_385_875_160_376_024, "a liar told of what nobody has, and so kept what is held from being compared"),
        (9_906_000_005_873, "the answer of a start that one stream followed was taken before the others did"),
        (9_905_000_028_669, "the ids told of a later delete than the one that was held, and it was forgotten"),
        (678_229_118_579_380_750, "what came of a model before a state was built anew brought it back afterwards"),
        (9_901_800_015_806, "a model that was held when the ids told of its delete was taken for one that exists"),
        (9_901_900_003_529, "a model that was written at the stamp of a delete which was held was unknown"),
        (9_900_900_013_738, "a model that one had written and another deleted at one stamp"),
    ]

    /// Those since liars make up origins.
    static let allSeeds: [(seed: UInt64, found: String)] = [
        (9_907_000_096_319, "lies that change all the time began each comparison of what a lazy copy holds anew"),
        (9_908_000_107_634, "an answer that waited for a process that stood still brought a removed field back"),
        (9_908_000_107_509, "a relay that got a publisher's models late had served a copy of the ids before"),
        (9_908_000_112_364, "a relay that was met late told a head beyond what a liar had claimed"),
        (61_082_792_204_699_646, "what nobody had kept a batch of a liar's own from being asked for, for minutes"),
        (9_909_000_021_275, "the ids told of a later write than the delete that they had told of a held model"),
        (9_909_000_027_211, "a batch was dropped as too old beside a claimed start, and counted as received"),
        (9_908_000_247_459, "a part of a pushed transaction waited for one that a lie had let be merged alone"),
    ]

    /// What there was when the first failed; each seed plays the story in which it did.
    private static let features = fullFeatures.subtracting([.names, .grants])
    private static let fullFeatures = endingFeatures.subtracting([.expiry])
    private static let endingFeatures = leaseFeatures.subtracting([.leases])
    private static let leaseFeatures = leapFeatures.subtracting([.leaps])
    private static let leapFeatures = twinFeatures.subtracting([.twins])
    private static let twinFeatures = idFeatures.subtracting([.stops, .floods])
    private static let idFeatures = Set(Scenario.Feature.allCases).subtracting([.madeUpOrigins])

    private func failure(of seed: UInt64, _ features: Set<Scenario.Feature>) -> SimulationFailure? {
        Scenario(seed: seed, features: features).run().failure
    }

    @Test(arguments: RegressionSeedTests.seeds)
    func `seeds that once failed are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.features) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.fullSeeds)
    func `seeds that once failed with all features are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.fullFeatures) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.endingSeeds)
    func `seeds that once failed where models end are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.endingFeatures) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.leaseSeeds)
    func `seeds that once failed where models are leased are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.leaseFeatures) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.twinSeeds)
    func `seeds with ids that are equal as texts are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.twinFeatures) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.undigestedSeeds)
    func `seeds that once failed without digests are sound`(seed: UInt64, found: String) {
        let features = RegressionSeedTests.twinFeatures.subtracting([.names])
        #expect(Scenario(seed: seed, hasDigests: false, features: features).run().failure == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.stopSeeds)
    func `seeds in which processes are stopped, and liars flood, are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.idFeatures.subtracting([.lazy])) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.lazySeeds)
    func `seeds that once failed where copies are lazy are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.idFeatures.subtracting([.ids])) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.idSeeds)
    func `seeds that once failed where copies know all ids are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.idFeatures) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.allSeeds)
    func `seeds that once failed where liars make up origins are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, Set(Scenario.Feature.allCases)) == nil, "\(found)")
    }

    @Test(arguments: RegressionSeedTests.leapSeeds)
    func `seeds that once failed where clocks leap are sound`(seed: UInt64, found: String) {
        #expect(failure(of: seed, RegressionSeedTests.leapFeatures) == nil, "\(found)")
    }
}
