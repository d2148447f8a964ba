import { ApiAnswerError } from "../../api/answers/answer-error.js";
import type { ParkedRow, PipelineTaskInfo } from "../../api/pipeline-tasks.js";
import type { PipelinesApi } from "../../api/pipelines-api.js";
import { visible } from "../../base/text/visible.js";
import { pause } from "../../machine/world.js";
import type { PipelineTaskResult } from "../../pipelines/tasks/pipeline-task.js";
import { pipelineNamed } from "../hosted-pipeline/named-pipeline.js";
import type { NamedArguments } from "../hosted-pipeline/show-pipelines.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type AuditArguments, auditedRange, type RepairArguments } from "./audit-pipeline.js";
import { findingsJson, findingsText } from "./findings-text.js";
import { changeText, type ParkedOutput, printParked } from "./parked/parked-output.js";
import { dropQuestion, retriedText } from "./parked/parked-pipeline.js";
import { PipelineDisplay } from "./pipeline-display.js";
import {
  confirmReplay,
  outcomeText,
  type ReplayArguments,
  replayedRange,
  requireAnswer,
} from "./replay-pipeline.js";

/** Arguments that name a pipeline on a server. */
export interface HostedArguments extends RemoteArguments {
  readonly name: string;
}

/** Arguments that choose parked changes. */
export interface HostedParkedArguments extends HostedArguments, ParkedOutput {
  readonly sink?: string | undefined;
}

type Kinds = PipelineTaskResult["kind"];
type ResultOf<Kind extends Kinds> = Extract<PipelineTaskResult, { readonly kind: Kind }>;

/** Milliseconds between two looks at a task. */
const interval = 500;

/** Compares what a pipeline on a server has written; returns the exit code. */
export function verifyHosted(
  args: HostedArguments & Pick<AuditArguments, "sink" | "range" | "format">,
  terminal: Terminal,
): Promise<number> {
  const { sink } = args;
  return audit(args, false, terminal, (pipelines) => pipelines.verify(args.name, { sink, ...blocks(args) }));
}

/** Mends a sink of a pipeline on a server; returns the exit code. */
export function repairHosted(
  args: HostedArguments &
    Pick<RepairArguments, "range" | "format" | "trustSource"> & { readonly sink: string },
  terminal: Terminal,
): Promise<number> {
  const { name, sink, trustSource: trust_source } = args;
  return audit(args, true, terminal, (pipelines) =>
    pipelines.repair(name, { sink, trust_source, ...blocks(args) }),
  );
}

/** Makes a sink of a pipeline on a server hold what its sources give; returns the exit code. */
export function adoptHosted(
  args: HostedArguments & Pick<AuditArguments, "format"> & { readonly sink: string },
  terminal: Terminal,
): Promise<number> {
  const { name, sink } = args;
  return audit(args, true, terminal, (pipelines) =>
    pipelines.repair(name, { sink, trust_source: true, adopt: true }),
  );
}

async function audit(
  args: HostedArguments & Pick<AuditArguments, "format">,
  mends: boolean,
  terminal: Terminal,
  begin: (pipelines: PipelinesApi) => Promise<PipelineTaskInfo>,
): Promise<number> {
  const { pipelines } = await openSession(args, terminal);
  const done = await perform(args.name, ["verify", "repair"], pipelines, terminal, () => begin(pipelines));
  if (typeof done === "number") return done;
  const { sinks, agrees } = done;
  if (args.format === "json") terminal.out(findingsJson(sinks, mends));
  else for (const sink of sinks) terminal.out(findingsText(sink, mends));
  if (sinks.some((sink) => "error" in sink)) return exitCodes.diagnostics;
  return agrees ? exitCodes.clean : exitCodes.differs;
}

/** Sends rows of a pipeline on a server again; returns the exit code. */
export async function replayHosted(
  args: HostedArguments & Pick<ReplayArguments, "sink" | "fromBlock" | "toBlock" | "yes">,
  terminal: Terminal,
): Promise<number> {
  const range = replayedRange(args);
  requireAnswer(args.yes, terminal);
  const { name, sink, yes } = args;
  const { pipelines } = await openSession(args, terminal);
  const asked = { sink, from_block: range.from, to_block: range.to };
  const replay = (counts: boolean) =>
    perform(name, ["replay"], pipelines, terminal, () =>
      pipelines.replay(name, { ...asked, count_only: counts }),
    );
  const said = (outcome: ResultOf<"replay">): number => {
    terminal.out(`${visible(sink)}: ${outcomeText({ ...outcome, isSent: outcome.sent })}\n`);
    return exitCodes.clean;
  };
  if (!yes) {
    const counted = await replay(true);
    if (typeof counted === "number") return counted;
    if (counted.rows === 0 || !(await confirmReplay(counted, range, visible(sink), terminal)))
      return said(counted);
  }
  const sent = await replay(false);
  return typeof sent === "number" ? sent : said(sent);
}

/** Lists what sinks of a pipeline on a server keep aside; returns the exit code. */
export async function listHosted(args: HostedParkedArguments, terminal: Terminal): Promise<number> {
  const { pipelines } = await openSession(args, terminal);
  const sinks = await pipelines.parked(args.name, args.sink);
  const changes = sinks.flatMap(({ sink, first }) => first.map((change) => ({ sink, ...change })));
  await printParked(changes, args, terminal);
  for (const { sink, total, first } of sinks)
    if (total > first.length)
      terminal.err(`${visible(sink)}: ${count(total - first.length, "other change")} not listed.\n`);
  return exitCodes.clean;
}

/** Writes what sinks of a pipeline on a server keep aside; returns the exit code. */
export async function retryHosted(
  args: HostedArguments & {
    readonly sink?: string | undefined;
    readonly key?: readonly string[] | undefined;
  },
  terminal: Terminal,
): Promise<number> {
  const { name, sink } = args;
  const key = args.key && keyOf(args.key);
  const { pipelines } = await openSession(args, terminal);
  const done = await perform(name, ["retry", "drop"], pipelines, terminal, () =>
    pipelines.retryParked(name, { sink, key }),
  );
  if (typeof done === "number") return done;
  if (done.sinks.length === 0) terminal.out("Nothing is parked.\n");
  for (const one of done.sinks)
    terminal.out(retriedText(one.sink, { done: one.done, left: one.total }, one.first));
  return done.sinks.some(({ total }) => total > 0) ? exitCodes.diagnostics : exitCodes.clean;
}

/** Gives changes up that a sink of a pipeline on a server keeps aside, after it has asked; returns the exit code. */
export async function dropHosted(
  args: HostedArguments & {
    readonly sink: string;
    readonly key: readonly string[];
    readonly force: boolean;
  },
  terminal: Terminal,
): Promise<number> {
  const { name, sink } = args;
  const key = keyOf(args.key);
  const { pipelines } = await openSession(args, terminal);
  const [found] = await pipelines.parked(name, sink);
  const isMeant = (change: ParkedRow): boolean =>
    change.droppedAt === null && Object.entries(key).every(([column, text]) => change.key[column] === text);
  const changes = found?.first.filter(isMeant) ?? [];
  // Only the first are listed, and the key may be of a later one.
  const isAllListed = !found || found.total <= found.first.length;
  if (changes.length === 0 && isAllListed) {
    terminal.err(`Sink ${visible(sink)} has parked nothing with this key.\n`);
    return exitCodes.diagnostics;
  }
  terminal.err(changes.map((change) => `${changeText(change)}\n`).join(""));
  const question = isAllListed
    ? dropQuestion(changes.length, sink)
    : `Drop the changes of this key? They are never written to ${visible(sink)}.`;
  if (!(await confirm(question, args.force, terminal))) return declined(terminal);
  const done = await perform(name, ["retry", "drop"], pipelines, terminal, () =>
    pipelines.dropParked(name, { sink, key }),
  );
  if (typeof done === "number") return done;
  const dropped = done.sinks.reduce((sum, one) => sum + one.done, 0);
  terminal.out(`${visible(sink)}: ${count(dropped, "change")} dropped.\n`);
  return exitCodes.clean;
}

/** Cancels a server's task on the sinks of a pipeline; returns the exit code. */
export async function cancelTask(args: NamedArguments, terminal: Terminal): Promise<number> {
  const name = await pipelineNamed(args.nameOrConfigPath, terminal);
  const { pipelines } = await openSession(args, terminal);
  const running = (await pipelines.tasks(name)).find(({ state }) => state === "running");
  if (!running) {
    terminal.err(`No task of ${visible(name)} is under way.\n`);
    return exitCodes.diagnostics;
  }
  const { task } = await pipelines.cancelTask(name, running.id);
  const of = task.sink === undefined ? "" : ` of ${visible(task.sink)}`;
  terminal.out(`The ${task.kind}${of} ends within seconds. What it has done stays done.\n`);
  return exitCodes.clean;
}

/** Begins a task, and waits for its end. @returns its result, or an exit code @throws ApiAnswerError for the result of another task */
async function perform<Kind extends Kinds>(
  name: string,
  kinds: readonly Kind[],
  pipelines: PipelinesApi,
  terminal: Terminal,
  begin: () => Promise<PipelineTaskInfo>,
): Promise<ResultOf<Kind> | number> {
  const display = new PipelineDisplay(terminal, () => performance.now());
  try {
    let info = await begin();
    while (info.state === "running") {
      const { progress } = info;
      if (progress !== null) display.wait(visible(progress));
      await pause(interval, terminal.signal);
      if (terminal.signal.aborted) {
        display.end();
        terminal.err(
          `It goes on. The page of ${visible(name)} on the server shows the outcome. To end it: graphloom pipeline cancel-task ${visible(name)}\n`,
        );
        return exitCodes.interrupted;
      }
      info = await pipelines.task(name, info.id);
    }
    display.end();
    if (info.state === "done" && info.result !== null) {
      const result = info.result as PipelineTaskResult;
      if (isOf(result, kinds)) return result;
      throw new ApiAnswerError("getPipelineTask", "has the result of another task");
    }
    const { progress } = info;
    const said = progress === null ? "" : ` It said last: ${progress}`;
    const why =
      info.state === "cancelled" ? `It was cancelled. What it had done stays done.${said}` : info.error;
    terminal.err(`${visible(why ?? "It has failed.")}\n`);
    return exitCodes.diagnostics;
  } finally {
    display.end();
  }
}

function isOf<Kind extends Kinds>(
  result: PipelineTaskResult,
  kinds: readonly Kind[],
): result is ResultOf<Kind> {
  return (kinds as readonly string[]).includes(result.kind);
}

function blocks({ range: text }: Pick<AuditArguments, "range">): {
  readonly from_block?: number;
  readonly to_block?: number;
} {
  const range = auditedRange(text);
  return range ? { from_block: range.from, to_block: range.to } : {};
}

/** `<column>=<value>`, once for each column of the key. @throws UsageError */
function keyOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, column = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (column !== "") return [column, value];
      throw new UsageError("--key: write <column>=<value>.");
    }),
  );
}
