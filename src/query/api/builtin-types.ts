/** The definitions in every API schema. Known descriptions of graph-node's introspection are kept word for word. */
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
  "The ID of the line."
  id: String!
  "The ID of the deployment that logged the line."
  subgraphId: String!
  "When the line was logged, in ISO 8601."
  timestamp: String!
  "The severity of the line."
  level: LogLevel!
  "The logged message."
  text: String!
  "The values logged with the message."
  arguments: [_LogArgument_!]!
  "The place in the code that logged the line."
  meta: _LogMeta_!
}

"A value logged with a message."
type _LogArgument_ {
  "The name of the value."
  key: String!
  "The value as a string."
  value: String!
}

"A place in the code."
type _LogMeta_ {
  "The module."
  module: String!
  "The line."
  line: Int!
  "The column."
  column: Int!
}

"The severity of a logged line."
enum LogLevel { CRITICAL ERROR WARNING INFO DEBUG }
`;

/** The names of the types in every API schema. */
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

/** graph-node's descriptions of the built-in GraphQL scalars; it has none for the others. */
export const specifiedScalars: ReadonlyMap<string, string> = new Map([["Int", "4 bytes signed integer\n"]]);

const block = `"The block at which to read. Defaults to the latest indexed block." block: Block_height`;
const policy =
  `"Whether to return data even if the subgraph has indexing errors." ` +
  "subgraphError: _SubgraphErrorPolicy_! = deny";

/** Arguments of root fields. */
export const rootArguments = { block, policy };

export const metaField = `
  "Information about the deployment and the block that the query reads."
  _meta("The block to describe. Defaults to the latest indexed block." block: Block_height): _Meta_`;

export const logsField = `
  "The lines that the subgraph logged, if the server keeps them."
  _logs(
    "Only lines of exactly this severity."
    level: LogLevel
    "Only lines logged at or after this time, in ISO 8601."
    from: String
    "Only lines logged at or before this time, in ISO 8601."
    to: String
    "Only lines whose message contains this string, ignoring case."
    search: String
    "The maximum number of lines to return."
    first: Int = 100
    "The number of lines to skip."
    skip: Int = 0
    "Whether the newest or the oldest lines come first."
    orderDirection: OrderDirection = desc
  ): [_Log_!]!`;
