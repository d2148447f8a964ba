import type { CatalogEntry } from "./entry.js";

/** Codes for hand-written subgraphs. */
export const projectCodes = {
  "manifest-missing": {
    title: "there is no manifest",
    explanation:
      "A subgraph begins with its manifest, usually subgraph.yaml in the folder of the subgraph. There is none at this path. Correct the path, or run the command that makes the manifest, which is often a script in package.json.",
    example: { wrong: "graphloom build subgrap.yaml", right: "graphloom build subgraph.yaml" },
  },
  "manifest-template": {
    title: "the manifest is a template",
    explanation:
      "The file has placeholders in double braces, which a tool such as mustache or handlebars replaces by the values of a network. Run that tool first. The project's package.json usually has a script for each network.",
    example: { wrong: "graphloom build subgraph.template.yaml", right: "npm run prepare:mainnet" },
  },
  "manifest-value": {
    title: "the manifest has a wrong value",
    explanation:
      "A value of the manifest is missing, has the wrong type, or has a key that manifests do not have. Texts that look like numbers, such as addresses and versions, must be in quotes.",
    example: {
      wrong: "address: 0x1F98431c8aD98523631AE4a59f267346ea31F984",
      right: `address: "0x1F98431c8aD98523631AE4a59f267346ea31F984"`,
    },
  },
  "manifest-file": {
    title: "a file of the manifest cannot be read",
    explanation:
      "The manifest names files relative to its own folder. This one does not exist, or is not a file. Correct the path, or run what makes the file, such as a script that copies ABIs.",
    example: { wrong: "file: ./schemas.graphql", right: "file: ./schema.graphql" },
  },
  "manifest-name": {
    title: "a name in the manifest is unknown or used twice",
    explanation:
      "The names of data sources and of templates must be unique, because their files are named after them, and a source's ABI must be one of its mapping's ABIs. Correct the name.",
    example: { wrong: "abi: Facotry", right: "abi: Factory" },
  },
  "manifest-signature": {
    title: "the ABI has no such event or function",
    explanation:
      "Handlers name an event or a function by its signature: without names of parameters, with the word indexed where the ABI has it, and without spaces after commas. It must be in the ABI of the source.",
    example: {
      wrong: "event: Transfer(address,address,uint256)",
      right: "event: Transfer(indexed address,indexed address,uint256)",
    },
  },
  "manifest-network": {
    title: "the network cannot be used",
    explanation:
      "With --network, the addresses and start blocks of the data sources come from networks.json, which needs an entry for each data source. All data sources and templates of a subgraph are on one network.",
    example: {
      wrong: `{ "mainnet": {} }`,
      right: `{ "mainnet": { "Factory": { "address": "0x…", "startBlock": 1 } } }`,
    },
  },
  "manifest-version": {
    title: "the subgraph is too old to be built",
    explanation:
      "Mappings of apiVersion 0.0.4 and earlier, and of graph-ts before 0.25, were written for another version of AssemblyScript. Update graph-ts, raise apiVersion, and follow the migration guide of AssemblyScript.",
    example: { wrong: "apiVersion: 0.0.4", right: "apiVersion: 0.0.9" },
  },
  "manifest-kind": {
    title: "the kind of a data source cannot be built",
    explanation:
      "graphloom builds subgraphs of contracts on Ethereum and chains like it, of files, and of other subgraphs. Those of other chains, and Substreams, are not built.",
    example: { wrong: "kind: near", right: "kind: ethereum" },
  },
  "project-abi": {
    title: "code for an ABI cannot be generated",
    explanation:
      "The file is not an ABI, or it has an entry that AssemblyScript cannot express. One such entry prevents the code of the whole file, as with graph codegen. Remove the entry from the file, if no handler and no call needs it.",
    example: {
      wrong: `{ "type": "function", "inputs": [{ "type": "uint256[][][]" }] }`,
      right: "the ABI without this entry",
    },
  },
  "project-schema": {
    title: "the schema has a mistake",
    explanation:
      "The schema declares entity types: object types with @entity(immutable: true) or @entity(immutable: false) and an id, whose fields are scalars, enums, other entity types, and lists of these. Correct the place in the message.",
    example: {
      wrong: "type Pool @entity { id: ID! }",
      right: "type Pool @entity(immutable: false) { id: ID! }",
    },
  },
  "project-mapping": {
    title: "the AssemblyScript compiler rejects a mapping",
    explanation:
      "The mapping has an error, which the compiler describes in its own words. If the place is in a generated file, correct the ABI or the schema that the file is generated from.",
    example: { wrong: "pool.fee = event.params.fee.toI32();", right: "pool.fee = event.params.fee;" },
  },
  "project-handler": {
    title: "the mapping has no such handler",
    explanation:
      "The manifest names a function that its mapping does not export. Names are case-sensitive. Correct the name, or export the function.",
    example: { wrong: "handler: handlePoolCreate", right: "handler: handlePoolCreated" },
  },
} as const satisfies Record<string, CatalogEntry>;
