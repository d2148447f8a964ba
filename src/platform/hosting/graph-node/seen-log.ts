import { foreignText } from "../../../base/foreign-text.js";
import type { World } from "../../../base/world.js";
import type { IndexingStatus } from "../../../deploy/graph-node/status.js";
import type { LogLevel, LogLine, LogPage, LogQuery } from "../engine.js";

/** Lines that are kept of a deployment. */
const mostLines = 1_000;

interface Seen {
  readonly block: number | undefined;
  readonly health: string;
  readonly errors: number;
}

/**
 * What was seen of deployments from outside, since graph-node does not give its own log away: what was asked for, how
 * health changed, and the errors that it tells of. It begins anew with the server.
 */
export class SeenLog {
  readonly #world: Pick<World, "now">;
  readonly #lines = new Map<string, (LogLine & { readonly number: number })[]>();
  readonly #seen = new Map<string, Seen>();
  readonly #refusals = new Map<string, string>();
  #count = 0;

  constructor(world: Pick<World, "now">) {
    this.#world = world;
  }

  add(deployment: string, level: LogLevel, text: string): void {
    const lines = this.#lines.get(deployment) ?? [];
    this.#lines.set(deployment, lines);
    this.#count += 1;
    lines.push({ text, level, timestamp: this.#world.now(), number: this.#count });
    if (lines.length > mostLines) lines.shift();
  }

  /** graph-node has not taken a deployment. */
  refuse(deployment: string, why: string): void {
    if (this.#refusals.get(deployment) !== why) this.add(deployment, "error", why);
    this.#refusals.set(deployment, why);
  }

  /** It has taken it after all. */
  forgive(deployment: string): void {
    this.#refusals.delete(deployment);
  }

  refusalOf(deployment: string): string | undefined {
    return this.#refusals.get(deployment);
  }

  /** Takes note of a status. @returns whether it differs from the one before */
  see({ deploymentId, block, health, fatalError, failedHandler, nonFatalErrors }: IndexingStatus): boolean {
    const before = this.#seen.get(deploymentId);
    const now = { block, health, errors: nonFatalErrors.length };
    this.#seen.set(deploymentId, now);
    if (before?.health !== health && health !== "healthy") {
      const where = failedHandler === undefined ? "" : ` in ${foreignText(failedHandler)}`;
      const why = fatalError === undefined ? "" : `${where}: ${foreignText(fatalError)}`;
      this.add(deploymentId, "error", `graph-node says that it is ${health}${why}`);
    } else if (before !== undefined && before.health !== health) {
      this.add(deploymentId, "info", "graph-node says that it is healthy again");
    }
    for (const { message, handler = "a handler" } of nonFatalErrors.slice(before?.errors ?? 0)) {
      this.add(deploymentId, "warn", `${foreignText(handler)} failed: ${foreignText(message)}`);
    }
    return before?.block !== now.block || before?.health !== health || before.errors !== now.errors;
  }

  drop(deployment: string): void {
    this.#lines.delete(deployment);
    this.#seen.delete(deployment);
    this.#refusals.delete(deployment);
  }

  page(deployment: string, { cursor, after, direction, search, levels, limit }: LogQuery): LogPage {
    const wanted = search?.toLowerCase();
    const fitting = (this.#lines.get(deployment) ?? []).filter(
      ({ text, timestamp, level, number }) =>
        (after === undefined || timestamp >= after) &&
        (levels?.includes(level) ?? true) &&
        (wanted === undefined || text.toLowerCase().includes(wanted)) &&
        (cursor === undefined || (direction === "asc" ? number > cursor : number < cursor)),
    );
    const page = (direction === "asc" ? fitting : fitting.toReversed()).slice(0, limit);
    const last = page.at(-1)?.number;
    const lines = page.map(({ number: _, ...line }) => line);
    return { lines, ...(last !== undefined && page.length < fitting.length && { cursor: last }) };
  }
}
