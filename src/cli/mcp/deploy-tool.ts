import { agreedTo } from "../../mcp/agreement.js";
import type { Input, Tool, ToolQuestion } from "../../mcp/tool.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { checkDeployArguments, type DeployArguments } from "../deploy/deploy-arguments.js";
import { deployBuilds } from "../deploy/deploy-builds.js";
import { findBuilds } from "../deploy/find-builds.js";
import { openTarget } from "../deploy/open-target.js";
import { runRemote } from "../remote/run-remote.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { runQuietly } from "./run-quietly.js";
import {
  commonArguments,
  givenWord,
  type McpArguments,
  networkSchema,
  textIn,
  wordSchema,
} from "./tool-arguments.js";

/**
 * The tool that deploys. The user agrees to a deployment id, which is a hash of all files: in a form, if the client can show
 * one, and otherwise by way of the argument `confirm`. What is deployed is the build with that id.
 */
export function deployTool(args: McpArguments, terminal: Terminal): Tool {
  return {
    name: "deploy",
    title: "Deploy a subgraph",
    describe:
      "Builds a subgraph and deploys it to the server, after the user has agreed. If the client cannot ask the user, the first call deploys nothing and returns the deployment id. Show it to the user. Once they agree, call again with that id as confirm.",
    input: {
      type: "object",
      properties: {
        ...deploymentSchema,
        subgraph: wordSchema,
        network: networkSchema,
      },
      required: ["name_and_version", "subgraph"],
      additionalProperties: false,
    },
    changes: true,
    isRemote: true,
    async run(input, call) {
      const subgraph = subgraphVersion(String(input.name_and_version));
      const word = givenWord(input.subgraph);
      const network = textIn(input.network);
      const deploying = { ...deployArguments(args, input, word), format: "text", network } as const;
      checkDeployArguments(deploying);
      let question: ToolQuestion | undefined;
      const answer = await runQuietly(`the files of ${word}`, terminal, call.signal, (quiet) =>
        runRemote(quiet, async () => {
          const opened = await openTarget(deploying, quiet);
          const found = await findBuilds(subgraph, deploying, quiet);
          if (!found) return exitCodes.diagnostics;
          const ids = found.builds.map((build) => linkBuild(build).deploymentId).join(",");
          const wish = deploymentWish(ids, opened.target.label, deploying);
          question = agreedTo(ids, textIn(input.confirm), wish, call);
          if (question) return exitCodes.clean;
          return deployBuilds(subgraph, found, { removeGraft: false }, opened, deploying, quiet);
        }),
      );
      return question ?? answer;
    },
  };
}

/** What agents say about a deployment. */
export const deploymentSchema = {
  name_and_version: {
    type: "string",
    minLength: 1,
    maxLength: 200,
    description: "<name>/<version>, such as pools/1.0.0",
  },
  tag: { type: "string", maxLength: 200, description: "tags to point to it, separated by commas" },
  description: { type: "string", maxLength: 500 },
  private: { type: "boolean", description: "serve queries only with a token" },
  confirm: { type: "string", maxLength: 2_000, description: "the deployment id the user agreed to" },
} as const;

/** The arguments of a deployment. @param word the subgraph */
export function deployArguments(args: McpArguments, input: Input, word: string): DeployArguments {
  return {
    ...commonArguments(args),
    nameAndVersion: String(input.name_and_version),
    subgraph: word,
    tag: textIn(input.tag),
    description: textIn(input.description),
    private: input.private === true,
    ...fixed,
  };
}

/** Options that agents cannot choose. */
const fixed = {
  ipfsGateway: "https://ipfs.network.thegraph.com",
  skipDeployed: false,
  wait: "indexing",
  output: "json",
  removeGraft: false,
  enableCallHandlers: false,
  optimize: "fast",
} as const;

/** What a deployment does, as a sentence without its end. */
export function deploymentWish(
  ids: string,
  label: string,
  { nameAndVersion, tag, private: isPrivate }: Pick<DeployArguments, "nameAndVersion" | "tag" | "private">,
): string {
  const tagged = tag === undefined ? "" : `, with the tag ${tag}`;
  return `Deploy ${ids} as ${nameAndVersion} to ${label}${tagged}${isPrivate ? ", for queries with a token" : ""}`;
}
