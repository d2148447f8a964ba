/** The process that works on the files of one client: it checks, fixes or builds a subgraph, without a network. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guarded } from "../../base/turns/guarded.js";
import { createNodeHost } from "../../machine/files/host.js";
import { writeFiles } from "../../machine/files/write-files.js";
import { guardConnections } from "../../machine/processes/guard-connections.js";
import { joinParent } from "../../machine/processes/join-parent.js";
import { type ToolCall, ToolRefusal } from "../../mcp/tool.js";
import { findBuilds } from "../deploy/find-builds.js";
import { explainFailure } from "../remote/run-remote.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { systemTrouble } from "../terminal/system-trouble.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { deployArguments } from "./deploy-tool.js";
import { runQuietly } from "./run-quietly.js";
import { subgraphTools } from "./subgraph-tools.js";
import type { McpArguments } from "./tool-arguments.js";
import { jobChannel, type WorkshopAnswer, type WorkshopJob } from "./workshop-job.js";

const fail = (error: unknown): void => post({ kind: "bug", stack: stackOf(error) });
const channels = joinParent(fail);
const port = channels.open(jobChannel);
const post = (answer: WorkshopAnswer): void => port.postMessage(answer);

guardConnections(() => "what clients send is compiled without a network");
// The process has a folder for temporary files of its own, which its parent removes.
const folder = join(tmpdir(), "files");
const terminal: Terminal = {
  cwd: folder,
  within: folder,
  env: {},
  color: false,
  out: () => undefined,
  err: () => undefined,
  onWriting: () => undefined,
  // The parent ends the process instead.
  signal: new AbortController().signal,
};
/** Far more than a request may have, with all fixes applied. */
const largestText = 16_000_000;
const args: McpArguments = { readOnly: false, trustDefinitions: false, cache: false, verbose: false };
const call: ToolCall = { signal: terminal.signal, canAsk: false, agreed: () => undefined };

port.on(
  "message",
  guarded(async (job: WorkshopJob) => post(await answerTo(job)), fail),
);

async function answerTo(job: WorkshopJob): Promise<WorkshopAnswer> {
  try {
    writeFiles(folder, job.files);
    return await (job.kind === "build" ? built(job) : told(job));
  } catch (error) {
    const message = refusalIn(error);
    if (message === undefined) throw error;
    return { kind: "refused", message };
  }
}

async function told(job: WorkshopJob & { readonly kind: "tool" }): Promise<WorkshopAnswer> {
  const tool = subgraphTools(args, terminal).find(({ name }) => name === job.tool);
  if (!tool) throw new Error(`there is no tool ${job.tool}`);
  const answer = await tool.run(job.input, call);
  if (job.returns === undefined) return { kind: "answer", answer };
  const read = await createNodeHost({ cwd: folder, within: folder }).readFile(job.returns, largestText);
  if (read.kind !== "bytes") throw new Error(`the file cannot be read again: it is ${read.kind}`);
  return { kind: "answer", answer, text: new TextDecoder().decode(read.bytes) };
}

async function built(job: WorkshopJob & { readonly kind: "build" }): Promise<WorkshopAnswer> {
  const { subgraph, nameAndVersion } = job;
  const wanted = deployArguments(args, { name_and_version: nameAndVersion }, subgraph);
  let builds: readonly ReadonlyMap<string, Uint8Array>[] | undefined;
  const answer = await runQuietly(`the files of ${subgraph}`, terminal, terminal.signal, async (quiet) => {
    const found = await findBuilds(subgraphVersion(nameAndVersion), wanted, quiet);
    builds = found?.builds.map(({ files }) => files);
    return found ? exitCodes.clean : exitCodes.diagnostics;
  });
  if (builds) return { kind: "built", builds };
  const { text } = answer;
  return { kind: "answer", answer: { kind: "failed", from: `the files of ${subgraph}`, text } };
}

/** What to tell the client; `undefined` for a bug. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof ToolRefusal) return error.message;
  if (error instanceof UsageError) return error.text.trimEnd();
  return (explainFailure(error)?.text ?? systemTrouble(error))?.trimEnd();
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
