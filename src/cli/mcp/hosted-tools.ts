import { createManagementApi, type ManagementApi } from "../../api/management-api.js";
import { createApiTarget } from "../../deploy/management/api-target.js";
import { createNodeWorld } from "../../machine/world.js";
import { agreedTo } from "../../mcp/agreement.js";
import { type Input, type Tool, type ToolAnswer, type ToolCall, ToolRefusal } from "../../mcp/tool.js";
import type { AgentCaller } from "../../platform/mcp/mcp-routes.js";
import { manifestPath } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { checkDeployment } from "../deploy/deploy-arguments.js";
import { deployBuilds } from "../deploy/deploy-builds.js";
import { explainFailure, runRemote } from "../remote/run-remote.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { deployArguments, deploymentSchema, deploymentWish } from "./deploy-tool.js";
import { explainTool } from "./explain-tool.js";
import { runQuietly } from "./run-quietly.js";
import { positionSchema } from "./subgraph-tools.js";
import { type McpArguments, textIn } from "./tool-arguments.js";
import type { Workshop } from "./workshop.js";
import type { SentFile, WorkshopJob } from "./workshop-job.js";

/** The usual name of a configuration. */
const usualFile = "subgraph.json";
/** Files of one call, and characters of each. A request has at most 1 MB. */
const mostFiles = 50;
const longestFile = 1_000_000;

// No path can lead out of a folder, or to a hidden file.
const part = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}";
const path = { type: "string", maxLength: 300, pattern: `^${part}(/${part}){0,5}$` } as const;
const filesSchema = {
  type: "array",
  minItems: 1,
  maxItems: mostFiles,
  description:
    "the subgraph's files: the configuration as subgraph.json, and each ABI at the path that it names",
  items: {
    type: "object",
    properties: { path, text: { type: "string", maxLength: longestFile } },
    required: ["path", "text"],
    additionalProperties: false,
  },
} as const;
const subgraphSchema = {
  ...path,
  description: `which of the files is the configuration, or the subgraph.yaml; ${usualFile} by default`,
} as const;
const ofFiles = { files: filesSchema, subgraph: subgraphSchema } as const;

const args: McpArguments = { readOnly: false, trustDefinitions: false, cache: false, verbose: false };

/** Commands on the server itself have no files, no environment and no effect on how it is interrupted. */
const nowhere: Terminal = {
  cwd: "/",
  env: {},
  color: false,
  out: () => undefined,
  err: () => undefined,
  onWriting: () => undefined,
  signal: new AbortController().signal,
};

/** The tools of a server for files that its clients send. A process of its own compiles them, without a network. */
export function hostedTools(caller: AgentCaller, workshop: Workshop): readonly Tool[] {
  const { project } = caller;

  /** Lets a tool of `graphloom mcp` work on the files. */
  const told = async (
    files: readonly SentFile[],
    tool: Omit<WorkshopJob & { readonly kind: "tool" }, "kind" | "files">,
    { signal }: ToolCall,
  ) => {
    const done = await workshop.run(project, { kind: "tool", files, ...tool }, signal);
    if (done.kind === "answer") return done;
    throw new Error(`the tool ${tool.tool} has built something`);
  };

  const check: Tool = {
    name: "check",
    title: "Check a subgraph",
    describe:
      "Compiles a subgraph whose files are sent along, and reports every mistake: its code, its place by line and column, a hint, and whether the tool fix can apply the hint. Nothing is kept. An answer without errors means that the subgraph builds.",
    input: closed(ofFiles, ["files"]),
    changes: false,
    isRemote: true,
    async run(input, call) {
      const { files, subgraph } = sent(input);
      return (await told(files, { tool: "check", input: { subgraph } }, call)).answer;
    },
  };

  const fix: Tool = {
    name: "fix",
    title: "Fix a configuration",
    describe:
      "Applies the fixes of check that are certain to a configuration that is sent along. Returns the changes, the mistakes that are left, and the new text, which you write to the file. Nothing is kept.",
    input: closed(ofFiles, ["files"]),
    changes: false,
    isRemote: true,
    async run(input, call) {
      const { files, subgraph } = sent(input);
      const before = files.find((file) => file.path === subgraph)?.content;
      const { answer, text } = await told(
        files,
        { tool: "fix", input: { subgraph }, returns: subgraph },
        call,
      );
      if (answer.kind === "question" || text === undefined || text === before) return answer;
      const from = `the files of ${subgraph}`;
      return { kind: "data", from, text: `${answer.text}\n\nThe new text of ${subgraph}:\n\n${text}` };
    },
  };

  const complete: Tool = {
    name: "complete",
    title: "Complete at a place",
    describe:
      "Lists what can be written at a place of a configuration that is sent along: settings, ABIs, chains, events, functions, and inside an expression the parameters of the event, calls, and fields of the block and the transaction, with their types.",
    input: closed({ ...ofFiles, ...positionSchema }, ["files", "line", "column"]),
    changes: false,
    isRemote: true,
    async run({ line, column, ...input }, call) {
      const { files, subgraph } = sent(input);
      return (await told(files, { tool: "complete", input: { file: subgraph, line, column } }, call)).answer;
    },
  };

  const diff: Tool = {
    name: "diff",
    title: "Compare with a version",
    describe:
      "Shows how a subgraph whose files are sent along differs from a deployed version: which queries break, and what is indexed again. Call it before you deploy.",
    input: closed(
      {
        ...ofFiles,
        deployed: {
          ...deploymentSchema.name_and_version,
          description: "<name>/<version> or <name>/<tag> on this server",
        },
      },
      ["files", "deployed"],
    ),
    changes: false,
    isRemote: true,
    async run({ deployed, ...input }, call) {
      const { files, subgraph } = sent(input);
      const { name, version } = subgraphVersion(String(deployed));
      const zip = await apiOf(caller, call.signal).build(name, version);
      // No client can send a hidden file.
      const old = `.deployed/${name}-${version}.zip`;
      const both = [...files, { path: old, content: zip }];
      return (await told(both, { tool: "diff", input: { old, new: subgraph } }, call)).answer;
    },
  };

  const deploy: Tool = {
    name: "deploy",
    title: "Deploy a subgraph",
    describe:
      "Builds a subgraph whose files are sent along and deploys it to this server, after the user has agreed. If the client cannot ask the user, the first call deploys nothing and returns the deployment id. Show it to the user. Once they agree, call again with the same files and that id as confirm. It needs the role Editor.",
    input: closed({ ...deploymentSchema, ...ofFiles }, ["name_and_version", "files"]),
    changes: true,
    isRemote: true,
    async run(input, call) {
      // A caller who may not deploy is not asked, and nothing is built for them.
      caller.requireRole("Editor");
      const { files, subgraph } = sent(input);
      const nameAndVersion = String(input.name_and_version);
      const named = subgraphVersion(nameAndVersion);
      const deploying = { ...deployArguments(args, input, subgraph), wait: "none" } as const;
      checkDeployment(deploying);
      const done = await workshop.run(
        project,
        { kind: "build", files, subgraph, nameAndVersion },
        call.signal,
      );
      if (done.kind !== "built") return done.answer;
      const builds = done.builds.map((built) => ReadBuild.of({ manifest: manifestPath, files: built }));
      const ids = builds.map((build) => linkBuild(build).deploymentId).join(",");
      const wish = deploymentWish(ids, "this server", deploying);
      const question = agreedTo(ids, textIn(input.confirm), wish, call);
      if (question) return question;
      const target = createApiTarget(apiOf(caller, call.signal), "this server");
      return runQuietly(`the files of ${subgraph}`, nowhere, call.signal, (quiet) =>
        runRemote(quiet, () => {
          const found = { builds, origins: new Map() };
          return deployBuilds(
            named,
            found,
            { removeGraft: false },
            { target, replaces: false },
            deploying,
            quiet,
          );
        }),
      );
    },
  };

  return [check, fix, explainTool(nowhere), complete, diff, deploy].map(explaining);
}

/** A tool whose failures become refusals, as a command's failures become messages. */
function explaining(tool: Tool): Tool {
  return {
    ...tool,
    async run(input, call): Promise<ToolAnswer> {
      try {
        return await tool.run(input, call);
      } catch (error) {
        const text = error instanceof UsageError ? error.text : explainFailure(error)?.text;
        throw text === undefined ? error : new ToolRefusal(text.trimEnd());
      }
    },
  };
}

/** The management API as the caller, without a way through the network. */
function apiOf({ address, fetch }: AgentCaller, signal: AbortSignal): ManagementApi {
  const world = { ...createNodeWorld(signal), fetch };
  // The requests have the caller's own token.
  return createManagementApi({ url: new URL("/api/v1", address).href, token: "", world });
}

/**
 * The files of a call.
 * @throws ToolRefusal if they could not be together in a folder, or the subgraph is not one of them
 */
function sent({ files, subgraph = usualFile }: Input): {
  readonly files: readonly SentFile[];
  readonly subgraph: string;
} {
  const given = (files as readonly { readonly path: string; readonly text: string }[]).map(
    (file): SentFile => ({ path: file.path, content: file.text }),
  );
  const paths = new Set(given.map((file) => file.path));
  if (paths.size < given.length) throw new ToolRefusal("Two files have the same path.");
  for (const one of paths) {
    const folders = one.split("/").slice(0, -1);
    const both = folders
      .map((_, index) => folders.slice(0, index + 1).join("/"))
      .find((name) => paths.has(name));
    if (both !== undefined) throw new ToolRefusal(`${both} cannot be both a file and a folder.`);
  }
  const main = String(subgraph);
  if (paths.has(main)) return { files: given, subgraph: main };
  throw new ToolRefusal(
    `There is no file ${main} among the files. Send the configuration with this path, or name it as subgraph.`,
  );
}

function closed(properties: Readonly<Record<string, object>>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false } as const;
}
