public import ArgumentParser
public import ModelcastBench

extension CountedPart: ExpressibleByArgument {}
