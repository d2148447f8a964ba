import type { LogPage } from "../../api/contract.js";
import { visible } from "../../base/text/visible.js";
import { pause } from "../../machine/world.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type NamedArguments, openPipeline } from "./named-pipeline.js";

/** Arguments of `stream logs`. */
export interface LogArguments extends NamedArguments {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tail: number;
  /** Seconds. */
  readonly since?: number | undefined;
}

/** Milliseconds between two looks. */
const interval = 2_000;

/** Prints the log of a pipeline, and new lines until interrupted; returns the exit code. */
export async function followPipelineLog(args: LogArguments, terminal: Terminal): Promise<number> {
  const { since } = args;
  if (since !== undefined && !(since >= 0))
    throw new UsageError("--since must be a number of seconds, 0 or more.");
  const { name, pipelines } = await openPipeline(args, terminal);
  const print = ({ results }: LogPage): void => {
    for (const { text, level, timestamp } of results) {
      const time = args.timestamps ? `${new Date(timestamp).toISOString()} ` : "";
      terminal.out(`${time}${level.toUpperCase().padEnd(5)} ${visible(text)}\n`);
    }
  };
  const earliest = since === undefined ? undefined : Date.now() - since * 1_000;
  const last = await pipelines.logs(name, {
    direction: "desc",
    ...(earliest !== undefined && { after: earliest }),
  });
  const shown = last.results.slice(0, args.tail).toReversed();
  print({ results: shown });
  if (shown.length === 0) {
    const span = since === undefined ? "" : ` in the last ${count(since, "second")}`;
    terminal.err(`${visible(name)} has logged nothing${span}.\n`);
  }
  let seen = new Set(last.results.map(entryKey));
  let after = last.results[0]?.timestamp ?? earliest ?? 0;
  while (args.follow) {
    await pause(interval, terminal.signal);
    if (terminal.signal.aborted) return exitCodes.interrupted;
    // Lines with the same time may arrive in several pages, so remember which were printed.
    const page = await pipelines.logs(name, { direction: "asc", after });
    const results = page.results.filter((line) => !seen.has(entryKey(line)));
    print({ results });
    seen = new Set([...page.results.map(entryKey), ...[...seen].slice(-1_000)]);
    after = page.results.at(-1)?.timestamp ?? after;
  }
  return exitCodes.clean;
}

function entryKey({ timestamp, level, text }: LogPage["results"][number]): string {
  return `${timestamp} ${level} ${text}`;
}
