/** What every API schema has. Descriptions that graph-node's introspection is known to give are as they are there. */
export const builtinTypes = `
scalar BigDecimal
scalar Bytes
scalar BigInt
"8 bytes signed integer"
scalar Int8
"A string representation of microseconds UNIX timestamp (16 digits)"
scalar Timestamp
scalar Float

"The direction of an order: ascending or descending."
enum OrderDirection { asc desc }

input Block_height { hash: Bytes number: Int number_gte: Int }

input BlockChangedFilter { number_gte: Int! }

enum _SubgraphErrorPolicy_ {
  "Data will be returned even if the subgraph has indexing errors"
  allow
  "If the subgraph has indexing errors, data will be omitted. The default."
  deny
}

enum Aggregation_interval { hour day }

"Indicates whether the current, partially filled bucket should be included in the response. Defaults to \`exclude\`"
enum Aggregation_current {
  "Exclude the current, partially filled bucket from the response"
  exclude
  "Include the current, partially filled bucket in the response"
  include
}

"The type for the top-level _meta field"
type _Meta_ {
  """
  Information about a specific subgraph block. The hash of the block
  will be null if the _meta field has a block constraint that asks for
  a block number. It will be filled if the _meta field has no block constraint
  and therefore asks for the latest  block
  """
  block: _Block_!
  "The deployment ID"
  deployment: String!
  "If \`true\`, the subgraph encountered indexing errors at some past block"
  hasIndexingErrors: Boolean!
}

type _Block_ {
  "The hash of the block"
  hash: Bytes
  "The block number"
  number: Int!
  "Integer representation of the timestamp stored in blocks for the chain"
  timestamp: Int
  "The hash of the parent block"
  parentHash: Bytes
}

"A line that the subgraph logged."
type _Log_ {
  "Id of the line."
  id: String!
  "The deployment that logged."
  subgraphId: String!
  "When it was logged, in ISO 8601."
  timestamp: String!
  "How grave it is."
  level: LogLevel!
  "What was logged."
  text: String!
  "Values that were logged with the text."
  arguments: [_LogArgument_!]!
  "The place in the code."
  meta: _LogMeta_!
}

"A value that was logged with a text."
type _LogArgument_ {
  "Its name."
  key: String!
  "The value as a text."
  value: String!
}

"A place in code."
type _LogMeta_ {
  "The module."
  module: String!
  "The line."
  line: Int!
  "The column."
  column: Int!
}

"How grave a logged line is."
enum LogLevel { CRITICAL ERROR WARNING INFO DEBUG }
`;

/** The names of all types that every API schema has. */
export const builtinNames: readonly string[] = [
  ...["Boolean", "ID", "Int", "String", "Query"],
  ...[...builtinTypes.matchAll(/^(?:scalar|enum|input|type) (\w+)/gm)].map(([, name = ""]) => name),
];

export const builtinDirectives = `
directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
"Marks the GraphQL type as indexable entity.  Each type that should be an entity is required to be annotated with this directive."
directive @entity on OBJECT
"Defined a Subgraph ID for an object type"
directive @subgraphId(id: String!) on OBJECT
"creates a virtual field on the entity that may be queried but cannot be set manually through the mappings API."
directive @derivedFrom(field: String!) on FIELD_DEFINITION
`;

/** What graph-node says of the scalars that every GraphQL schema has; nothing of the others. */
export const specifiedScalars: ReadonlyMap<string, string> = new Map([["Int", "4 bytes signed integer\n"]]);

const block = `"The block to read as of; by default the latest that is indexed." block: Block_height`;
const policy =
  `"Answer with data even when the subgraph has indexing errors, or not." ` +
  "subgraphError: _SubgraphErrorPolicy_! = deny";

/** Arguments of root fields. */
export const rootArguments = { block, policy };

export const metaField = `
  "What is known of the deployment, and of the block that is read."
  _meta("The block to tell of; by default the latest that is indexed." block: Block_height): _Meta_`;

export const logsField = `
  "What the subgraph logged, where it is kept."
  _logs(
    "Only lines of exactly this level."
    level: LogLevel
    "Only lines from this time on, in ISO 8601."
    from: String
    "Only lines up to this time, in ISO 8601."
    to: String
    "Only lines whose text holds this, in any case."
    search: String
    "At most so many lines."
    first: Int = 100
    "Pass over so many lines."
    skip: Int = 0
    "The newest first, or the oldest."
    orderDirection: OrderDirection = desc
  ): [_Log_!]!`;
