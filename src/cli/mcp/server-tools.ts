import { isRecord } from "../../base/text/json-value.js";
import { visibleJson } from "../../base/text/visible.js";
import { createQueryEndpoint } from "../../compare/endpoint.js";
import { createNodeWorld } from "../../machine/world.js";
import { queryAtBlock } from "../../mcp/query-at-block.js";
import { type Tool, ToolRefusal } from "../../mcp/tool.js";
import { versionEndpoint } from "../named/version-endpoint.js";
import { runRemote } from "../remote/run-remote.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { runQuietly } from "./run-quietly.js";
import {
  blockSchema,
  commonArguments,
  givenWord,
  type McpArguments,
  networkSchema,
  numberIn,
  textIn,
  wordSchema,
} from "./tool-arguments.js";

/** The most characters of a query's answer. */
const longestAnswer = 100_000;
/** Seconds that a comparison waits for a node. */
const patience = 60;

/** A version on the server. */
const versionSchema = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "<name>/<version> on the server, or <name>/<tag>",
} as const;

/** The tools that read what a server has. */
export function serverTools(args: McpArguments, terminal: Terminal): readonly Tool[] {
  const common = commonArguments(args);

  const query: Tool = {
    name: "query",
    title: "Query a subgraph",
    describe:
      "Sends a GraphQL query to a deployed subgraph, and returns its data. With block, all fields show the state after that block. Ask for few entities at once: first is at most 1000, and a long answer is refused.",
    input: {
      type: "object",
      properties: {
        subgraph: versionSchema,
        query: { type: "string", minLength: 1, maxLength: 20_000, description: "the GraphQL query" },
        variables: { type: "object", maxProperties: 50, description: "values of the query's variables" },
        block: { ...blockSchema, description: "number of a block" },
      },
      required: ["subgraph", "query"],
      additionalProperties: false,
    },
    changes: false,
    isRemote: true,
    async run(input, { signal }) {
      const named = subgraphVersion(String(input.subgraph));
      const text = queryAtBlock(String(input.query), numberIn(input.block));
      const variables = isRecord(input.variables) ? input.variables : {};
      const name = `${named.name}/${named.version}`;
      return runQuietly(`the subgraph ${name}`, terminal, signal, (quiet) =>
        runRemote(quiet, async () => {
          const { url, headers } = await versionEndpoint(named, "to query", common, quiet);
          const world = createNodeWorld(quiet.signal);
          const asked = { name, keyOption: "--token", url, headers, pace: async () => undefined };
          const data = await createQueryEndpoint({ ...asked, world, sending: {} }).ask(text, variables);
          const shown = visibleJson(JSON.stringify(data));
          if (shown.length > longestAnswer)
            throw new ToolRefusal(
              `The answer has ${shown.length} characters, more than ${longestAnswer}. Ask for fewer entities with first and skip, or for fewer fields.`,
            );
          quiet.out(`${shown}\n`);
          return exitCodes.clean;
        }),
      );
    },
  };

  const verify: Tool = {
    name: "verify",
    title: "Verify a pipeline",
    describe:
      "Compares the sources of a pipeline with its ledger and its sinks, and reports every range of blocks whose rows are not as they should be. Nothing is written. A name is a pipeline on the server; a path is a definition here.",
    input: {
      type: "object",
      properties: {
        pipeline: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description: "name of a pipeline, or path of its definition such as ./transfers.yaml",
        },
        sink: { type: "string", maxLength: 100, description: "the sink to look at; all by default" },
        range: { type: "string", pattern: "^\\d{1,15}(-\\d{1,15})?$", description: "blocks: 100-200" },
      },
      required: ["pipeline"],
      additionalProperties: false,
    },
    changes: false,
    isRemote: true,
    async run(input, { signal }) {
      const pipeline = String(input.pipeline);
      if (pipeline === "-") throw new ToolRefusal("Name a pipeline. Standard input is not available here.");
      const { verifyPipeline } = await import("../pipeline/tasks/audit-pipeline.js");
      const what = { nameOrConfigPath: pipeline, sink: textIn(input.sink), range: textIn(input.range) };
      const how = { offline: false, patience, verify: "bloom", format: "json" } as const;
      return runQuietly(`the pipeline ${pipeline}`, terminal, signal, (quiet) =>
        runRemote(quiet, () => verifyPipeline({ ...common, ...what, ...how }, quiet)),
      );
    },
  };

  return [query, whyTool(args, terminal), verify];
}

/** The tool that tells how an entity came about. It reads the user's database, if there is one, or the server. */
function whyTool(args: McpArguments, terminal: Terminal): Tool {
  return {
    name: "why",
    title: "Explain an entity",
    describe:
      "Shows the history of one entity, newest first: the block and transaction of each version, the fields that changed, and the handler that stored it, with its line in the configuration if that is known. Call it when a value looks wrong. For what run has indexed into a database, name the file of the subgraph.",
    input: {
      type: "object",
      properties: {
        subgraph: {
          ...wordSchema,
          description:
            "<name>/<version> on the server; with a database also <name>, a deployment id, or the file of the subgraph",
        },
        entity: {
          type: "string",
          pattern: "^[A-Za-z_][A-Za-z0-9_]{0,99}$",
          description: "type of the entity",
        },
        id: { type: "string", minLength: 1, maxLength: 1_000 },
        before: {
          type: "string",
          pattern: "^\\d{1,18}$",
          description: "from the answer before, for older versions",
        },
        chain: { type: "string", maxLength: 100, description: "for a file with several chains" },
        network: networkSchema,
      },
      required: ["subgraph", "entity", "id"],
      additionalProperties: false,
    },
    changes: false,
    isRemote: true,
    async run({ entity, id, before, chain, network, ...input }, { signal }) {
      const subgraph = givenWord(input.subgraph);
      const { explainEntity } = await import("../why/explain-entity.js");
      const { database, data } = args;
      const asked = { subgraph, entity: String(entity), id: String(id), before: textIn(before) };
      const where = { database, data, chain: textIn(chain), network: textIn(network) };
      return runQuietly(`the subgraph ${subgraph}`, terminal, signal, (quiet) =>
        runRemote(quiet, () =>
          explainEntity({ ...commonArguments(args), ...asked, ...where, output: "json" }, quiet),
        ),
      );
    },
  };
}
