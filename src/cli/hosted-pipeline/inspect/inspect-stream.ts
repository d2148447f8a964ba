import type { InspectEvent } from "../../../api/pipeline-operations.js";
import { visible, visibleJson } from "../../../base/text/visible.js";
import { pause } from "../../../machine/world.js";
import { openSession, type RemoteArguments } from "../../remote/session.js";
import { count } from "../../terminal/count.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import { passing } from "../../terminal/passing.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import { pipelineNamed } from "../named-pipeline.js";
import { type FollowWorld, followRows } from "./follow-rows.js";
import { showView } from "./show-view.js";

/** Arguments of `stream inspect`. */
export interface InspectArguments extends RemoteArguments {
  readonly name: string;
  readonly topologyNodeKeys?: string | undefined;
  readonly bufferSize: number;
  readonly print: boolean;
}

/** Shows rows that pass the nodes of a stream; returns the exit code. */
export async function inspectStream(args: InspectArguments, terminal: Terminal): Promise<number> {
  const { bufferSize } = args;
  if (!(Number.isInteger(bufferSize) && bufferSize >= 1 && bufferSize <= 1_000_000))
    throw new UsageError("--buffer-size must be a whole number from 1 to 1,000,000.");
  const nodes = args.topologyNodeKeys?.split(",").map((text) => text.trim());
  const wanted = nodes?.filter((node) => node !== "");
  const name = await pipelineNamed(args.name, terminal);
  const { pipelines } = await openSession(args, terminal);
  const stop = new AbortController();
  const signal = AbortSignal.any([terminal.signal, stop.signal]);
  const world: FollowWorld = {
    open: () => pipelines.inspect(name, wanted?.length ? wanted : undefined, signal),
    now: () => Date.now(),
    random: () => Math.random(),
    pause: (milliseconds) => pause(milliseconds, signal),
    signal,
  };
  const { openScreen } = terminal;
  if (args.print || !openScreen) return printRows(world, terminal);
  const end = await showView({ name, bufferSize }, openScreen, world, () => stop.abort());
  return end === "interrupted" || terminal.signal.aborted ? exitCodes.interrupted : exitCodes.clean;
}

/** Prints rows as JSON lines. */
async function printRows(world: FollowWorld, terminal: Terminal): Promise<number> {
  const say = passing(terminal);
  await followRows(world, {
    event: (event) => printEvent(event, terminal.out, say),
    connection: (text) => say(`${visible(text)}\n`),
  });
  return terminal.signal.aborted ? exitCodes.interrupted : exitCodes.clean;
}

function printEvent(event: InspectEvent, out: Terminal["out"], say: Terminal["err"]): void {
  if (event.event === "row") {
    const { node, op, row } = event;
    out(`${visibleJson(JSON.stringify({ node, op, row }))}\n`);
  } else if (event.event === "dropped")
    say(`${count(event.rows, "row")} of ${visible(event.node)} not shown, because there were too many\n`);
}
