import { backoff } from "../../../base/turns/backoff.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { rowJson } from "../../changes/row-json.js";
import { joinRows, pickRows, type Rows } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { SecretHeader } from "../../http/http-auth.js";
import { post, type Reply } from "../../http/post.js";
import { describedRow } from "../described-row.js";
import { type RowTransform, TransformError } from "../row-transform.js";
import { readAnsweredRows } from "./answered-rows.js";

/** Which rows to send where, and what the answers contain. */
export interface HandlerOptions {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: SecretHeader | undefined;
  /** The columns of the rows that arrive. */
  readonly input: readonly RowColumn[];
  /** Names of the columns that are sent. */
  readonly sent: readonly string[];
  /** The columns of the returned rows. */
  readonly output: readonly RowColumn[];
  readonly isOnePerRequest: boolean;
  /** Most rows of a request. */
  readonly batchSize: number;
  /** The most milliseconds that an answer may take. */
  readonly timeout: number;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now" | "timeout">;
}

/** Concurrent requests: handlers are slow, and there are many rows. */
const mostAtOnce = 4;
/** Bytes of an answer at most. */
const mostBytes = 32 * 1024 * 1024;
/** How often to send a request that fails temporarily. */
const mostAttempts = 4;
const pauses = { first: 250, longest: 5_000 };
/** Statuses that a handler answers because of the rows. */
const ofRows: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

type Failure = Extract<Reply, { readonly kind: "failed" }>;

/** A transform that sends rows to a user's server and takes the rows of its answers. */
export class HandlerTransform implements RowTransform {
  readonly #options: HandlerOptions;
  readonly #sentIndexes: readonly number[];
  readonly #sentColumns: readonly RowColumn[];

  constructor(options: HandlerOptions) {
    this.#options = options;
    const { input, sent } = options;
    this.#sentColumns = input.filter(({ name }) => sent.includes(name));
    this.#sentIndexes = this.#sentColumns.map((column) => input.indexOf(column));
  }

  async apply(rows: Rows): Promise<Rows> {
    const { isOnePerRequest, batchSize, output } = this.#options;
    const size = isOnePerRequest ? 1 : batchSize;
    const turns = new Semaphore(mostAtOnce);
    const parts: Promise<Rows>[] = [];
    let isFailed = false;
    for (let start = 0; start < rows.count; start += size) {
      const part = partOf(rows, start, Math.min(start + size, rows.count));
      const made = turns.run(async () => {
        if (isFailed) throw new TransformError("an earlier part has failed", false);
        return this.#handled(part);
      });
      made.catch(() => {
        isFailed = true;
      });
      parts.push(made);
    }
    return joinRows(await Promise.all(parts), output.length);
  }

  async close(): Promise<void> {}

  /** The resulting rows of a request. Rows that the handler refuses are sent in halves, down to a single one. */
  async #handled(rows: Rows): Promise<Rows> {
    const { input, output, isOnePerRequest } = this.#options;
    const reply = await this.#ask(rows);
    if (reply.kind === "failed") {
      if (!ofRows.has(reply.status) || rows.count === 1) throw this.#failure(reply, rows);
      const middle = Math.ceil(rows.count / 2);
      const first = await this.#handled(partOf(rows, 0, middle));
      return joinRows([first, await this.#handled(partOf(rows, middle, rows.count))], output.length);
    }
    const read = readAnsweredRows(reply.body, output, { rows, columns: input }, isOnePerRequest);
    if (read.kind === "rows") return read.rows;
    throw new TransformError(`Handler ${this.#options.name} ${read.why}${this.#of(rows, read.row)}`, false);
  }

  /** Sends a request, again after failures that may pass. */
  async #ask(rows: Rows): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.#post(rows);
      const isLast = reply.kind === "accepted" || !reply.isTemporary || attempt === mostAttempts;
      if (isLast || reply.retryAfter !== undefined) return reply;
      await wait(backoff(attempt, pauses, 1), this.#options.clock, new AbortController().signal);
    }
  }

  #post(rows: Rows): Promise<Reply> {
    const { url, headers, secret, isOnePerRequest, timeout, outgoing, clock } = this.#options;
    const sent = { count: rows.count, columns: this.#sentIndexes.map((index) => rows.columns[index] ?? []) };
    const texts = Array.from({ length: rows.count }, (_, row) => rowJson(this.#sentColumns, sent, row));
    const body = isOnePerRequest ? (texts[0] ?? "") : `[${texts.join(",")}]`;
    const all = { "user-agent": "graphloom", ...headers, "content-type": "application/json" };
    return post({ url, headers: all, secret, body, timeout, mostBytes, excess: "refuse" }, outgoing, () =>
      clock.now(),
    );
  }

  #failure({ why, isTemporary, retryAfter, status }: Failure, rows: Rows): TransformError {
    const place = ofRows.has(status) ? this.#of(rows, 0) : "";
    return new TransformError(`Handler ${this.#options.name} ${why}${place}`, isTemporary, { retryAfter });
  }

  #of(rows: Rows, row: number | undefined): string {
    return row === undefined ? "" : ` for ${describedRow(this.#options.input, rows, row)}`;
  }
}

function partOf(rows: Rows, start: number, end: number): Rows {
  const isWhole = start === 0 && end === rows.count;
  return isWhole
    ? rows
    : pickRows(
        rows,
        Array.from({ length: end - start }, (_, index) => start + index),
      );
}
