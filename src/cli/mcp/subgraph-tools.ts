import { present } from "../../base/invariant.js";
import { createNodeHost } from "../../machine/files/host.js";
import { type Input, type Tool, type ToolAnswer, type ToolCall, ToolRefusal } from "../../mcp/tool.js";
import { publicArweave } from "../../runtime/files/gateway-files.js";
import { wordOr } from "../named/default-word.js";
import { runRemote } from "../remote/run-remote.js";
import { usualSamples } from "../run/plan/usual-samples.js";
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

/** Seconds that a plan waits for a node. Agents wait less patiently than people. */
const patience = 60;

/** The tools that check and describe subgraphs. Each runs the command of the same name. */
export function subgraphTools(args: McpArguments, terminal: Terminal): readonly Tool[] {
  const common = commonArguments(args);
  const optional = { ...wordSchema, description: `${wordSchema.description}; subgraph.json by default` };

  /** Runs a command about the subgraph that a call names. */
  const about = async (
    { subgraph, network }: Input,
    { signal }: ToolCall,
    command: (named: { subgraph: string; network?: string | undefined }, quiet: Terminal) => Promise<number>,
  ): Promise<ToolAnswer> => {
    const given = subgraph === undefined ? undefined : givenWord(subgraph);
    const word = await wordOr(given, "graphloom check", terminal);
    return runQuietly(`the files of ${word}`, terminal, signal, (quiet) =>
      runRemote(quiet, () => command({ subgraph: word, network: textIn(network) }, quiet)),
    );
  };

  const check: Tool = {
    name: "check",
    title: "Check a subgraph or a pipeline",
    describe:
      "Compiles a subgraph without writing anything, and reports every mistake: its code, its place by line and column, a hint, and whether the tool fix can apply the hint. Call it after each edit. An answer without errors means that the subgraph builds. The definition of a pipeline is checked as well: its settings and queries, and the columns of its tables.",
    input: {
      type: "object",
      properties: { subgraph: optional, network: networkSchema },
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    run: (input, call) =>
      about(input, call, async (named, quiet) => {
        const { checkWord } = await import("../check/check-word.js");
        return checkWord({ ...common, ...named, fix: false, dryRun: false, watch: false }, quiet);
      }),
  };

  const fix: Tool = {
    name: "fix",
    title: "Fix a configuration",
    describe:
      "Applies the fixes of check that are certain to a configuration, and reports the mistakes that are left. With dry_run, it changes nothing.",
    input: {
      type: "object",
      properties: {
        subgraph: optional,
        dry_run: { type: "boolean", description: "report what would be left, and change nothing" },
      },
      additionalProperties: false,
    },
    changes: true,
    isRemote: false,
    run: (input, call) =>
      about(input, call, async ({ subgraph }, quiet) => {
        const { checkWord } = await import("../check/check-word.js");
        const fixing = { fix: true, dryRun: input.dry_run === true, watch: false };
        // The changes themselves are text, which a document of diagnostics leaves out.
        return checkWord({ ...common, subgraph, ...fixing, format: "text" }, quiet);
      }),
  };

  const schema: Tool = {
    name: "schema",
    title: "Print a schema",
    describe:
      "Prints the GraphQL schema of a subgraph, or with api that of its endpoint with all filters. Read it before you write a query.",
    input: {
      type: "object",
      properties: {
        subgraph: optional,
        network: networkSchema,
        api: { type: "boolean", description: "the schema that answers queries" },
      },
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    run: (input, call) =>
      about(input, call, async (named, quiet) => {
        const { printSchemaOfWord } = await import("../schema/print-schema-of-word.js");
        return printSchemaOfWord(
          { ...common, ...named, api: input.api === true, introspection: false },
          quiet,
        );
      }),
  };

  const plan: Tool = {
    name: "plan",
    title: "Estimate indexing",
    describe:
      "Estimates the requests, bytes, time and disk space that indexing a subgraph will need, from samples of each chain. It asks the nodes in GRAPHLOOM_RPC_<CHAIN>, and can take minutes.",
    input: {
      type: "object",
      properties: {
        subgraph: optional,
        network: networkSchema,
        from_block: blockSchema,
        to_block: blockSchema,
        samples: { type: "integer", minimum: 1, maximum: 50, description: "ranges of each chain to index" },
      },
      additionalProperties: false,
    },
    changes: false,
    isRemote: true,
    run: (input, call) =>
      about(input, call, async (named, quiet) => {
        const { planWord } = await import("../run/plan/plan-word.js");
        const { samples = usualSamples.samples, from_block: from, to_block: to } = input;
        const range = { fromBlock: numberIn(from), toBlock: numberIn(to) };
        const sampling = { ...usualSamples, samples: present(numberIn(samples), "the schema says so") };
        const reading = { patience, verify: "bloom", optimize: "fast", arweave: publicArweave } as const;
        const report = { ...common, format: "text", output: "json" } as const;
        return planWord({ ...report, ...named, ...range, ...sampling, ...reading }, quiet);
      }),
  };

  const diff: Tool = {
    name: "diff",
    title: "Compare two subgraphs",
    describe:
      "Shows how a change of a subgraph affects queries and what is indexed again. Compare the deployed <name>/<version> with your file before you deploy.",
    input: {
      type: "object",
      properties: { old: wordSchema, new: wordSchema, network: networkSchema },
      required: ["old", "new"],
      additionalProperties: false,
    },
    changes: false,
    isRemote: true,
    async run(input, { signal }) {
      const sides = { old: givenWord(input.old), new: givenWord(input.new) };
      const { runDiff } = await import("../diff/run-diff.js");
      return runQuietly(`the files of ${sides.old} and ${sides.new}`, terminal, signal, (quiet) =>
        runRemote(quiet, () =>
          runDiff({ ...common, ...sides, network: textIn(input.network), output: "json" }, quiet),
        ),
      );
    },
  };

  return [check, fix, completeTool(terminal), schema, plan, diff];
}

/** The tool that runs the tests of a subgraph or a pipeline. */
export function testTool(args: McpArguments, terminal: Terminal): Tool {
  return {
    name: "test",
    title: "Run tests",
    describe:
      "Runs the tests of a subgraph (in JSON, or matchstick's), or those in the definition of a pipeline, without a node. Reports each test that fails, and what differs.",
    input: {
      type: "object",
      properties: {
        project: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description:
            "the folder of a subgraph, its configuration or subgraph.yaml, or the definition of a pipeline; the current folder by default",
        },
        names: {
          type: "array",
          maxItems: 50,
          items: { type: "string", minLength: 1, maxLength: 200 },
          description: "beginnings of the names of the test files to run; all by default",
        },
      },
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    async run({ project = ".", names = [] }, { signal }) {
      const word = givenWord(project);
      const files = (names as readonly unknown[]).map(givenWord);
      return runQuietly(`the tests of ${word}`, terminal, signal, (quiet) =>
        runRemote(quiet, async () => {
          const { isDefinitionFile } = await import("../check/check-word.js");
          if (await isDefinitionFile(word, quiet)) {
            const { testPipeline } = await import("../pipeline/test-pipeline.js");
            return testPipeline({ ...commonArguments(args), configPath: word, format: "text" }, quiet);
          }
          const { runTests } = await import("../test/run-tests.js");
          const how = { verbose: false, recompile: false, coverage: false, watch: false, color: false };
          return runTests({ cache: args.cache, names: [word, ...files], ...how }, quiet);
        }),
      );
    },
  };
}

/** The most proposals of an answer. */
const mostProposals = 200;
/** As much as a configuration may have. */
const largestConfiguration = 4_000_000;

const position = { type: "integer", minimum: 1, maximum: 1_000_000 } as const;

/** A place in a configuration. */
export const positionSchema = {
  line: { ...position, description: "the line, from 1" },
  column: { ...position, description: "the column, from 1: what is before it is there already" },
} as const;

/** The tool that says what can be written at a place of a configuration. */
function completeTool({ cwd, within = cwd }: Terminal): Tool {
  return {
    name: "complete",
    title: "Complete at a place",
    describe:
      "Lists what can be written at a place of a configuration: settings, ABIs, chains, events, functions, and inside an expression the parameters of the event, calls, and fields of the block and the transaction, with their types. Use it before you guess a name.",
    input: {
      type: "object",
      properties: {
        file: { type: "string", minLength: 1, maxLength: 500, description: "the configuration" },
        ...positionSchema,
      },
      required: ["file", "line", "column"],
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    async run({ file, line, column }) {
      const path = givenWord(file);
      const host = createNodeHost({ cwd, within });
      const read = await host.readFile(path, largestConfiguration);
      if (read.kind !== "bytes") throw new ToolRefusal(`The file cannot be read: it is ${read.kind}.`);
      const { placeIn } = await import("../../lsp/place-in.js");
      const { completeAt } = await import("../../lsp/complete.js");
      const at = { line: (numberIn(line) ?? 1) - 1, character: (numberIn(column) ?? 1) - 1 };
      const found = await placeIn(path, new TextDecoder().decode(read.bytes), at, host);
      if (!found)
        return {
          kind: "own",
          text: "The file is not a configuration, or it cannot be parsed there. Call check.",
        };
      const proposals = completeAt(found.config, found.cursor).all;
      const lines = proposals
        .slice(0, mostProposals)
        .map(({ label, detail }) => (detail === undefined ? label : `${label}  ${detail}`));
      const rest = proposals.length > mostProposals ? [`and ${proposals.length - mostProposals} more`] : [];
      return proposals.length === 0
        ? { kind: "own", text: "Nothing is known to fit there." }
        : { kind: "data", from: `the files of ${path}`, text: [...lines, ...rest].join("\n") };
    },
  };
}
