public import ArgumentParser
public import ModelcastBench

extension BenchScenario: ExpressibleByArgument {}
