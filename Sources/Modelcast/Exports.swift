// The declarations that users of Modelcast call, so that one import is enough. What only the modules themselves need,
// such as merge plans and hashes, is not among them. ModelTypes exports those of ModelRecord.
@_exported public import ModelTypes
@_exported public import ModelViews

@_exported public import struct ModelCache.CacheLimits
@_exported public import class ModelCache.CacheObservation
@_exported public import struct ModelCache.Change
@_exported public import struct ModelCache.ChangeReason
@_exported public import struct ModelCache.ChangeSet
@_exported public import struct ModelCache.ChangeStream
@_exported public import enum ModelCache.Interest
@_exported public import class ModelCache.ModelCache
@_exported public import struct ModelCache.ModelLimits
@_exported public import enum ModelCache.ModelPresence
@_exported public import class ModelCache.ModelProblemObservation
@_exported public import class ModelCache.ModelProblems
@_exported public import struct ModelCache.ModelTable
@_exported public import class ModelCache.Snapshot
@_exported public import struct ModelGrants.Grant
@_exported public import struct ModelGrants.Grants
@_exported public import struct ModelGrants.GrantsError
@_exported public import struct ModelGrants.GrantsProblem
@_exported public import enum ModelGrants.KeyLimit
@_exported public import struct ModelGrants.KeyLimits
@_exported public import struct ModelGrants.NamePattern
@_exported public import struct ModelGrants.Publication
@_exported public import struct ModelGrants.Rights
@_exported public import struct ModelSigning.SigningKey
@_exported public import struct ModelSigning.VerifyingKey
@_exported public import struct ModelStore.StoreError
@_exported public import enum ModelStore.StoreHealth
@_exported public import struct ModelStore.WriteBehindConfiguration
@_exported public import struct ModelStore.WriteBehindStatus
@_exported public import struct ModelSync.BatchOutcome
@_exported public import struct ModelSync.Counters
@_exported public import struct ModelSync.DistinctError
@_exported public import enum ModelSync.Mending
@_exported public import struct ModelSync.Peer
@_exported public import struct ModelSync.PeerTally
@_exported public import enum ModelSync.PublishOutcome
@_exported public import struct ModelSync.PushStatus
@_exported public import struct ModelSync.PusherConfiguration
@_exported public import enum ModelSync.ReplicaState
@_exported public import struct ModelSync.SenderID
@_exported public import struct ModelSync.SenderStatus
@_exported public import struct ModelSync.StreamStatus
@_exported public import struct ModelWire.Heads
@_exported public import enum ModelWire.Partitions
@_exported public import struct ModelWire.ReplicaReport
@_exported public import struct ModelWire.Topic
@_exported public import struct ModelWire.TopicHead
@_exported public import struct ModelWire.WireError
@_exported public import struct ModelWire.WireLimits
@_exported public import enum ZeroMQ.Curve
@_exported public import struct ZeroMQ.ZeroMQError
