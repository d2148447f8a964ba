import { buildSchema, type GraphQLSchema } from "graphql";

let schema: GraphQLSchema | undefined;

/** The schema of the indexing status API: graph-node's, without the fields that are unavailable here. */
export function statusSchema(): GraphQLSchema {
  schema ??= buildSchema(text);
  return schema;
}

const text = `
  scalar BigInt
  scalar Bytes
  scalar JSONObject

  type Query {
    indexingStatusForCurrentVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusForPendingVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusesForSubgraphName(subgraphName: String!): [SubgraphIndexingStatus!]!
    indexingStatuses(subgraphs: [String!]): [SubgraphIndexingStatus!]!
    proofOfIndexing(subgraph: String!, blockNumber: Int!, blockHash: Bytes!, indexer: Bytes): Bytes
    publicProofsOfIndexing(requests: [PublicProofOfIndexingRequest!]!): [PublicProofOfIndexingResult!]!
    subgraphFeatures(subgraphId: String!): SubgraphFeatures!
    entityChangesInBlock(subgraphId: String!, blockNumber: Int!): EntityChanges!
    blockData(network: String!, blockHash: Bytes!): JSONObject
    blockHashFromNumber(network: String!, blockNumber: Int!): Bytes
    cachedEthereumCalls(network: String!, blockHash: Bytes!): [CachedEthereumCall!]
    version: Version!
    apiVersions(subgraphId: String!): [ApiVersion!]!
  }

  type SubgraphIndexingStatus {
    subgraph: String!
    synced: Boolean!
    health: Health!
    fatalError: SubgraphError
    nonFatalErrors: [SubgraphError!]!
    chains: [ChainIndexingStatus!]!
    entityCount: BigInt!
    node: String
    paused: Boolean
    historyBlocks: Int!
    subgraphSize: SubgraphSize!
  }

  type SubgraphSize {
    rowEstimate: BigInt!
    tableSize: BigInt!
    indexSize: BigInt!
    toastSize: BigInt!
    totalSize: BigInt!
  }

  enum Health { healthy unhealthy failed }

  interface ChainIndexingStatus {
    network: String!
    chainHeadBlock: Block
    earliestBlock: EarliestBlock
    latestBlock: Block
    lastHealthyBlock: Block
  }

  type EthereumIndexingStatus implements ChainIndexingStatus {
    network: String!
    chainHeadBlock: Block
    earliestBlock: EarliestBlock
    latestBlock: Block
    lastHealthyBlock: Block
  }

  type Block { hash: Bytes! number: BigInt! }
  type EarliestBlock { hash: Bytes! number: BigInt! }

  type SubgraphError { message: String! block: Block handler: String deterministic: Boolean! }

  type SubgraphFeatures {
    apiVersion: String
    specVersion: String!
    features: [Feature!]!
    dataSources: [String!]!
    handlers: [String!]!
    network: String
  }

  enum Feature {
    nonFatalErrors
    grafting
    fullTextSearch
    ipfsOnEthereumContracts
    aggregations
    declaredEthCalls
    immutableEntities
    bytesAsIds
  }

  type EntityChanges { updates: [EntityTypeUpdates!]! deletions: [EntityTypeDeletions!]! }
  type EntityTypeUpdates { type: String! entities: [JSONObject!]! }
  type EntityTypeDeletions { type: String! entities: [ID!]! }
  type CachedEthereumCall { idHash: Bytes! block: Block! contractAddress: Bytes! returnValue: Bytes! }

  input PublicProofOfIndexingRequest { deployment: String! blockNumber: BigInt! }
  type PublicProofOfIndexingResult { deployment: String! block: PartialBlock! proofOfIndexing: Bytes! }
  type PartialBlock { hash: Bytes number: BigInt! }
  type Version { version: String! commit: String! }
  type ApiVersion { version: String! }
`;
