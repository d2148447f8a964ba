/** What every API schema has. Texts for people are in our words. */
export const builtinTypes = `
scalar BigDecimal
scalar Bytes
scalar BigInt
scalar Int8
scalar Timestamp
scalar Float

"The direction of an order: ascending or descending."
enum OrderDirection { asc desc }

input Block_height { hash: Bytes number: Int number_gte: Int }

input BlockChangedFilter { number_gte: Int! }

enum _SubgraphErrorPolicy_ {
  "Answer with data even when the subgraph has indexing errors."
  allow
  "Answer without data when the subgraph has indexing errors. The default."
  deny
}

enum Aggregation_interval { hour day }

"Whether the bucket that is still being filled is part of the answer."
enum Aggregation_current {
  "Leave the bucket that is being filled out."
  exclude
  "Add the bucket that is being filled, as far as it is known."
  include
}

"What is known of the deployment that answers."
type _Meta_ {
  "The block that the answer is given for."
  block: _Block_!
  "The id of the deployment."
  deployment: String!
  "True when indexing failed somewhere up to the block, so that data may be missing or wrong."
  hasIndexingErrors: Boolean!
}

"A block of the chain."
type _Block_ {
  "The hash; null when the block was asked for by number."
  hash: Bytes
  "The number."
  number: Int!
  "Seconds since 1970, where known."
  timestamp: Int
  "The hash of the block before, where known."
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

export const builtinDirectives = `
directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
"Marks a type whose objects are stored."
directive @entity on OBJECT
"The deployment that a type comes from."
directive @subgraphId(id: String!) on OBJECT
"A field that is looked up by what refers back to it."
directive @derivedFrom(field: String!) on FIELD_DEFINITION
`;

/** Descriptions of scalars; graph-node's others have none. */
export const scalarDescriptions: ReadonlyMap<string, string> = new Map([
  ["Int", "4 bytes signed integer\n"],
  ["Int8", "8 bytes signed integer\n"],
  ["Timestamp", "A string representation of microseconds UNIX timestamp (16 digits)\n"],
]);

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
