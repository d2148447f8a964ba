import { networkOptions, subgraphWord } from "../named/word-options.js";
import { command } from "../terminal/command.js";
import { cacheOption, textOption } from "../terminal/usage/options.js";

export const schemaCommand = command({
  name: "schema [subgraph]",
  describe: "Print the schema of a subgraph, or of its GraphQL API",
  positionals: { subgraph: subgraphWord },
  options: {
    api: {
      type: "boolean",
      default: false,
      describe: "print the schema of the API that answers queries, with its filters, orders and Query type",
    },
    introspection: {
      type: "boolean",
      default: false,
      describe:
        'print the API as JSON, {"__schema": …}, which graphql-codegen and editors read from a .json file',
    },
    output: {
      ...textOption,
      describe: "file to write the API to, such as api.graphql or api.json [default: standard output]",
    },
    ...networkOptions,
    ipfs: { ...textOption, describe: "IPFS gateway with a deployment: the address before /ipfs/" },
    cache: cacheOption,
  },
  examples: [
    ["$0 schema subgraph.json", "the subgraph's own schema.graphql, as built"],
    [
      "$0 schema subgraph.json --api --output api.graphql",
      "the API's schema, for graphql-codegen and editors",
    ],
    ["$0 schema . --introspection --output api.json", "the API as the answer to an introspection query"],
  ],
  load: async () => {
    const { wordOr } = await import("../named/default-word.js");
    const { printSchemaOfWord } = await import("./print-schema-of-word.js");
    return async (args, terminal) =>
      printSchemaOfWord(
        { ...args, subgraph: await wordOr(args.subgraph, "graphloom schema", terminal) },
        terminal,
      );
  },
});
