import type { LogEntry } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { ApiProblem } from "../../api/problem.js";
import { pause } from "../../node/world.js";
import { HttpError } from "../../web/http/http-error.js";
import { explainFailure } from "../remote/run-remote.js";
import { openSession } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { logLine } from "./log-line.js";
import { isWanted, type LogArguments, type LogSelection, logSelection } from "./log-selection.js";
import { subgraphVersion } from "./subgraph-version.js";

/** Prints the log of a subgraph as it grows, until interrupted; the exit code. */
export async function followLog(args: LogArguments, terminal: Terminal): Promise<number> {
  const subgraph = subgraphVersion(args.nameAndVersion);
  const selection = logSelection(args, Date.now());
  const { api } = await openSession(args, terminal);
  const tail = new Tail(api, subgraph, selection);
  // What is wrong with the very first answer will not mend itself.
  for (let entries = await tail.next(); ; entries = await nextOrNothing(tail, terminal)) {
    for (const entry of entries) {
      if (isWanted(entry, selection)) terminal.out(logLine(entry, args.format, isColored(args, terminal)));
    }
    if (tail.isBehind && entries.length > 0) continue;
    if (!args.follow) return exitCodes.clean;
    await pause(args.interval * 1000, terminal.signal);
    if (terminal.signal.aborted) return exitCodes.interrupted;
  }
}

function isColored({ color }: LogArguments, { color: errColor, outColor }: Terminal): boolean {
  return color && errColor && outColor === true;
}

/** A server that is out of reach for a while must not end what somebody watches. */
async function nextOrNothing(tail: Tail, terminal: Terminal): Promise<readonly LogEntry[]> {
  try {
    return await tail.next();
  } catch (error) {
    const mayPass = error instanceof HttpError || (error instanceof ApiProblem && error.status >= 500);
    if (!mayPass || terminal.signal.aborted) throw error;
    terminal.err(explainFailure(error)?.text ?? "");
    return [];
  }
}

/** Reads a log piece by piece. */
class Tail {
  readonly #api: ManagementApi;
  readonly #subgraph: { readonly name: string; readonly version: string };
  readonly #levels: string;
  /** What is asked for: a cursor only has a meaning beside the time it was given for. */
  #after: number;
  #cursor: number | undefined;
  /** The newest time seen. */
  #last: number;
  /** Entries of the newest time: without a cursor they come again. */
  #newest: ReadonlySet<string> = new Set();

  constructor(
    api: ManagementApi,
    subgraph: { readonly name: string; readonly version: string },
    selection: LogSelection,
  ) {
    this.#api = api;
    this.#subgraph = subgraph;
    this.#levels = selection.levels.join(",");
    this.#after = selection.after;
    this.#last = selection.after;
  }

  /** Whether the last answer said that there is more. */
  get isBehind(): boolean {
    return this.#cursor !== undefined;
  }

  /** What has come since the last time, oldest first. */
  async next(): Promise<readonly LogEntry[]> {
    const { results, cursor } = await this.#api.logs(this.#subgraph.name, this.#subgraph.version, {
      after: this.#after,
      direction: "asc",
      log_levels: this.#levels,
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    // A cursor that stands still says nothing new.
    this.#cursor = cursor === this.#cursor ? undefined : cursor;
    const fresh = results.toSorted((a, b) => a.timestamp - b.timestamp).filter((entry) => this.#isNew(entry));
    this.#remember(fresh);
    if (this.#cursor === undefined) this.#after = this.#last;
    return fresh;
  }

  #isNew(entry: LogEntry): boolean {
    return (
      entry.timestamp > this.#last || (entry.timestamp === this.#last && !this.#newest.has(keyOf(entry)))
    );
  }

  #remember(fresh: readonly LogEntry[]): void {
    const last = fresh.at(-1)?.timestamp;
    if (last === undefined) return;
    const known = last === this.#last ? this.#newest : [];
    this.#newest = new Set([...known, ...fresh.filter(({ timestamp }) => timestamp === last).map(keyOf)]);
    this.#last = last;
  }
}

function keyOf({ level, text }: LogEntry): string {
  return `${level} ${text}`;
}
