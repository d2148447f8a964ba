import type { CatalogEntry } from "./entry.js";

/** Codes for mappings that users write. */
export const mappingCodes = {
  "mapping-unreadable": {
    title: "a file of the mapping cannot be read",
    explanation: `The setting "mapping" names a mapping of your own and, under "schema", the entity types that it stores. Both paths are relative to the folder of the configuration. Correct the path, or save the file as UTF-8.`,
    example: {
      wrong: `"mapping": { "file": "./src/positions.ts" }`,
      right: `"mapping": { "file": "./positions.ts" }`,
    },
  },
  "mapping-schema": {
    title: "the schema of the mapping cannot be used",
    explanation:
      "The schema of a mapping of your own declares entity types: object types with @entity(immutable: true) or @entity(immutable: false), an id, and fields of scalars, lists of scalars, and references to entities. Correct the place in the message.",
    example: {
      wrong: "type Position { id: ID! }",
      right: "type Position @entity(immutable: false) { id: ID! }",
    },
  },
  "unknown-mapping-handler": {
    title: "the mapping has no such function",
    explanation: `A handler names a function under "handler", which the file in the setting "mapping" must export. Names are case-sensitive. Correct the name, or export the function.`,
    example: { wrong: `"handler": "handleTrade"`, right: `"handler": "handleOrderFilled"` },
  },
  "mapping-rejected": {
    title: "the AssemblyScript compiler rejects the mapping",
    explanation:
      "The mapping of your own has an error, which the compiler describes in its own words. It imports events from ../generated/<Abi>/<Abi>, entities from ../generated/schema, and isInstance from ./instances, as if it were in the folder src of the generated subgraph.",
    example: {
      wrong: "position.amount = event.params.amount.toI32();",
      right: "position.amount = event.params.amount;",
    },
  },
} as const satisfies Record<string, CatalogEntry>;
