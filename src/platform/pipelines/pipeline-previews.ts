import { randomBytes } from "node:crypto";
import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";
import { wait } from "../../base/turns/wait.js";
import type {
  DefinitionMeaning,
  PipelineEngine,
  PipelineLine,
  RunningPipeline,
  SinkStatus,
} from "../../pipelines/host/pipeline-engine.js";
import { keptText } from "../../store/database/kept-text.js";
import type { LogPage, LogQuery } from "../../store/logs/log-line.js";
import { pageOfLines } from "../../store/logs/page-of-lines.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { checkOnEngine } from "./check-on-engine.js";
import { invalid } from "./definition-problem.js";
import type { PipelineName, RuntimeStatus } from "./pipeline-rows.js";
import { hostOf, pipelineIdOf } from "./project-host.js";
import { RowHearers } from "./row-hearers.js";

/** Previews that a project can have at a time. */
const mostPreviews = 2;
/** How many log lines to keep for a preview. */
const mostLines = 1_000;

/** A pipeline that runs for a limited time, and whose sinks drop all rows. */
export interface PipelinePreview {
  readonly name: PipelineName;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly meaning: DefinitionMeaning;
  readonly running: RunningPipeline;
  readonly hearers: RowHearers;
  readonly sinks: Readonly<Record<string, SinkStatus>>;
  readonly runtime: RuntimeStatus;
  /** Why it ended. */
  readonly error: string | null;
  /** Lines of its log. @param query as of a pipeline's log */
  lines(query: LogQuery): LogPage;
  /** How many errors its log has. @param since milliseconds since 1970 */
  errorsSince(since: number): number;
}

/** The previews of this process. They are not stored in the database. */
export class PipelinePreviews {
  readonly #platform: Platform;
  readonly #engine: PipelineEngine;
  readonly #closing = new AbortController();
  readonly #running = new Map<
    string,
    { readonly preview: PipelinePreview; readonly over: AbortController }
  >();
  /** Previews by project whose definitions are being checked. */
  readonly #checked = new Map<string, number>();

  constructor(platform: Platform, engine: PipelineEngine) {
    this.#platform = platform;
    this.#engine = engine;
  }

  /**
   * Checks a definition and runs it for a time.
   * @param textOf returns the text of the definition for a name; without sinks, each node for which `isLast` is
   *   true needs one
   * @param ttl seconds
   * @param signal ends the check
   * @throws Problem `bad-request` with all mistakes; `unprocessable` if the project has too many
   */
  async begin(
    project: string,
    textOf: (name: string, isLast: (node: string) => boolean) => string,
    ttl: number,
    signal: AbortSignal,
  ): Promise<PipelinePreview> {
    this.#requireRoom(project);
    this.#checked.set(project, (this.#checked.get(project) ?? 0) + 1);
    try {
      const name = { project, name: `preview-${randomBytes(6).toString("hex")}` };
      const host = hostOf(this.#platform, project);
      const whole = { text: textOf(name.name, () => true), variables: {} };
      const { findings, meaning } = await checkOnEngine(this.#engine, whole, host, signal);
      if (!meaning) throw invalid(findings);
      if (this.#closing.signal.aborted) throw new Problem("unavailable", "The server is shutting down.");
      const read = new Set(meaning.nodes.flatMap(({ kind, reads }) => (kind === "sink" ? [] : reads)));
      const isLast = (node: string): boolean => !read.has(node);
      const text = textOf(name.name, isLast);
      const nodes =
        text === whole.text
          ? meaning.nodes
          : meaning.nodes.filter(({ kind, reads }) => kind !== "sink" || reads.every(isLast));
      return this.#start(name, { text, variables: {} }, { ...meaning, nodes }, ttl);
    } finally {
      this.#checked.set(project, (this.#checked.get(project) ?? 1) - 1);
    }
  }

  /** A preview of a project. */
  find(name: PipelineName): PipelinePreview | undefined {
    return this.#running.get(pipelineIdOf(name))?.preview;
  }

  /** Ends a preview before its time. @returns whether there was one */
  end(name: PipelineName): boolean {
    const found = this.#running.get(pipelineIdOf(name));
    found?.over.abort();
    return found !== undefined;
  }

  /** Ends all previews. */
  async close(): Promise<void> {
    this.#closing.abort();
    const all = [...this.#running.values()];
    for (const { over } of all) over.abort();
    await Promise.all(all.map(({ preview }) => preview.running.ended));
  }

  /** @throws Problem */
  #requireRoom(project: string): void {
    const own = [...this.#running.values()].filter(({ preview }) => preview.name.project === project);
    if (own.length + (this.#checked.get(project) ?? 0) < mostPreviews) return;
    const next = Math.min(...own.map(({ preview }) => preview.expiresAt));
    const wait = Number.isFinite(next) ? ` until one expires, at ${new Date(next).toISOString()},` : "";
    throw new Problem(
      "unprocessable",
      `A project can have ${mostPreviews} previews at a time. Wait${wait} or delete one.`,
    );
  }

  #start(
    name: PipelineName,
    definition: { readonly text: string; readonly variables: Readonly<Record<string, string>> },
    meaning: DefinitionMeaning,
    ttl: number,
  ): PipelinePreview {
    const { world } = this.#platform;
    const flow = pipelineIdOf(name);
    const sinks = new Map<string, SinkStatus>();
    const lines: PipelineLine[] = [];
    let [runtime, error, first]: [RuntimeStatus, string | null, number] = ["STARTING", null, 1];
    const add = (more: readonly PipelineLine[]): void => {
      lines.push(...more);
      first += lines.splice(0, Math.max(0, lines.length - mostLines)).length;
    };
    const running = this.#engine.preview(
      { flow, definition, size: "s", begins: "anew", host: hostOf(this.#platform, name.project) },
      {
        started: () => {
          runtime = "RUNNING";
        },
        state: (sink, status) => {
          sinks.set(sink, status);
          const isFailing = [...sinks.values()].some(
            ({ state }) => state === "stalled" || state === "halted",
          );
          runtime = isFailing ? "FAILING" : "RUNNING";
        },
        nodes: () => undefined,
        lines: add,
        rows: (tapped) => hearers.hear(tapped),
      },
    );
    const hearers = new RowHearers((nodes) => running.tap(nodes));
    const preview: PipelinePreview = {
      name,
      meaning,
      running,
      hearers,
      expiresAt: world.now() + ttl * 1_000,
      get sinks() {
        return Object.fromEntries(sinks);
      },
      get runtime() {
        return runtime;
      },
      get error() {
        return error;
      },
      lines: (query) =>
        pageOfLines(
          lines.map((line, index) => ({ ...line, number: first + index })),
          query,
        ),
      errorsSince: (since) =>
        lines.filter(({ level, timestamp }) => level === "error" && timestamp >= since).length,
    };
    const over = new AbortController();
    this.#running.set(flow, { preview, over });
    const ended = running.ended.then((end) => {
      hearers.end(end.kind);
      runtime = end.kind === "failed" ? "TERMINATED" : "COMPLETED";
      if (end.kind === "stopped") return;
      error = end.kind === "failed" ? keptText(end.why) : null;
      const text = end.kind === "failed" ? `Ended: ${end.why}` : "Completed: all sources have ended";
      add([{ level: end.kind === "failed" ? "error" : "info", text, timestamp: world.now() }]);
    });
    const stopped = wait(ttl * 1_000, world, over.signal).then(async () => {
      this.#running.delete(flow);
      await running.stop();
    });
    for (const work of [ended, stopped]) inBackground(work, reportFailure);
    return preview;
  }
}
