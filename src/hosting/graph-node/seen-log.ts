import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import type { LogLevel, LogPage, LogQuery } from "../../store/logs/log-line.js";
import { type NumberedLine, pageOfLines } from "../../store/logs/page-of-lines.js";
import type { HostedChange, HostedStatus } from "../engine.js";

/** The number of kept lines per deployment. */
const mostLines = 1_000;

interface Seen {
  readonly block: number | undefined;
  readonly health: string;
  readonly errors: number;
}

/**
 * A log of what this server observed about deployments, because graph-node does not expose its own log: requests,
 * health changes and reported errors. It starts empty with the server.
 */
export class SeenLog {
  readonly #world: Pick<World, "now">;
  readonly #lines = new Map<string, NumberedLine[]>();
  readonly #seen = new Map<string, Seen>();
  /** The graph-node nodes that index them. */
  readonly #nodes = new Map<string, string>();
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

  /** Records a status. @returns how it differs from the previous one, if it does */
  see(
    deployment: string,
    { headBlock, health, fatalError, nonFatalErrors, told }: HostedStatus,
  ): HostedChange | undefined {
    const before = this.#seen.get(deployment);
    const errors = told?.nonFatalErrors.length ?? 0;
    this.#seen.set(deployment, { block: headBlock, health, errors });
    if (before?.health !== health && health !== "healthy") {
      const where = fatalError?.handler === undefined ? "" : ` in ${fatalError.handler}`;
      const why = fatalError === undefined ? "" : `${where}: ${fatalError.message}`;
      this.add(deployment, "error", `graph-node reports it as ${health}${why}`);
    } else if (before !== undefined && before.health !== health) {
      this.add(deployment, "info", "graph-node reports it as healthy again");
    }
    for (const { message, handler = "a handler" } of nonFatalErrors.slice(before?.errors ?? 0, errors)) {
      this.add(deployment, "warn", `${handler} failed: ${message}`);
    }
    if (before?.block === headBlock && before?.health === health && before.errors === errors)
      return undefined;
    // A failed block is retried from the block before it.
    const reverted = before?.health === "failed" ? 0 : (before?.block ?? 0) - (headBlock ?? 0);
    return {
      deployment,
      isShared: true,
      ...(headBlock !== undefined && { headBlock }),
      ...(headBlock !== undefined && reverted > 0 && { reverted }),
    };
  }

  /** Records the node of a deployment. @param node missing while it is unassigned */
  place(deployment: string, node: string | null): void {
    if (node === null) return;
    const before = this.#nodes.get(deployment);
    this.#nodes.set(deployment, node);
    if (before === undefined || before === node) return;
    this.add(deployment, "info", `graph-node moved it from ${visible(before)} to ${visible(node)}`);
  }

  drop(deployment: string): void {
    this.#lines.delete(deployment);
    this.#nodes.delete(deployment);
    this.#seen.delete(deployment);
  }

  page(deployment: string, query: LogQuery): LogPage {
    return pageOfLines(this.#lines.get(deployment) ?? [], query);
  }
}
