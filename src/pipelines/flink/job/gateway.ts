import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import { parseAddress, redact } from "../../../web/http/address.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../../web/outgoing/outgoing-error.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import { failureIn, handleIn, jobFailureIn, type ResultPage, readPage } from "./gateway-answer.js";
import {
  aggregations,
  figuresOf,
  type JobFigures,
  type Metrics,
  metricsIn,
  valuesIn,
  verticesIn,
} from "./job-figures.js";
import { checkpointsPath, type JobRestarts, restartsIn, restartsPath } from "./job-restarts.js";

/** A gateway that cannot be reached, or a statement that it refuses. */
export class GatewayError extends PipelineError {
  override readonly name = "GatewayError";
}

/** The result of a statement: rows as text, by column. */
export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The outside world of a gateway's client. */
export interface GatewayWorld {
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "timeout" | "now">;
}

/** Runs statements one by one, with shared settings and tables. */
export interface GatewaySession {
  /**
   * Runs a statement, and waits for its whole result.
   * @param limit the most milliseconds that it may take
   * @throws GatewayError
   */
  run(statement: string, limit?: number): Promise<StatementResult>;
  /** Why a job failed most recently; empty if the job manager cannot be asked. */
  failureOf(job: string): Promise<string>;
  /** A job's progress, if the job manager can be asked. */
  figuresOf(job: string): Promise<JobFigures | undefined>;
  /** How often a job was restarted, if the job manager can be asked. */
  restartsOf(job: string): Promise<JobRestarts | undefined>;
  /** Ends the session. If the gateway does not answer, it ends the session later on its own. */
  close(): Promise<void>;
}

/**
 * The most bytes of an answer and of a result, the most milliseconds for an answer, for a reason and for all figures, and
 * the most rows of a result.
 */
const limits = {
  bytes: 4 * 1024 * 1024,
  result: 16 * 1024 * 1024,
  answer: 20_000,
  reason: 3_000,
  figures: 10_000,
  rows: 10_000,
};
/** The default for the most milliseconds that a statement may take. */
const usualLimit = 60_000;
const pauses = { first: 20, longest: 500 };

/** A client of Flink's SQL gateway. */
export class FlinkGateway {
  readonly #url: string;
  readonly #world: GatewayWorld;
  readonly #secrets: readonly string[];

  /**
   * @param url where the gateway answers, such as `http://localhost:8083`
   * @param secrets texts that messages must not repeat, even if the gateway does
   */
  constructor(url: string, world: GatewayWorld, secrets: readonly string[] = []) {
    this.#url = url.replace(/\/+$/, "");
    this.#world = world;
    this.#secrets = [...(parseAddress(url)?.secrets ?? []), ...secrets.filter((secret) => secret !== "")];
  }

  /** @throws GatewayError */
  async openSession(signal: AbortSignal): Promise<GatewaySession> {
    const body = await this.#ask("POST", "/v1/sessions", { properties: {} }, signal);
    const session = handleIn(body, "sessionHandle");
    if (session === undefined) throw this.#odd();
    const path = `/v1/sessions/${session}`;
    const run: GatewaySession["run"] = (statement, limit = usualLimit) =>
      this.#run(path, statement, limit, signal);
    const manager = once(async () => this.#managerOf(await run("SET"), signal));
    return {
      run,
      failureOf: async (job) => {
        const body = await (await manager())?.(`/jobs/${encodeURIComponent(job)}/exceptions?maxExceptions=1`);
        return body ? redact(jobFailureIn(body), this.#secrets) : "";
      },
      figuresOf: async (job) => {
        const end = this.#world.clock.now() + limits.figures;
        return figuresFrom(job, await manager(), () => this.#world.clock.now() > end);
      },
      restartsOf: async (job) => {
        const ask = await manager();
        const metrics = await ask?.(restartsPath(job));
        const checkpoints = metrics && (await ask?.(checkpointsPath(job)));
        return checkpoints && restartsIn(metrics, checkpoints);
      },
      close: async () => {
        await this.#ask("DELETE", path, undefined, undefined).catch((error: unknown) => {
          if (!(error instanceof GatewayError)) throw error;
        });
      },
    };
  }

  /** A client of the job manager in the settings: the gateway itself knows neither reasons nor figures. */
  #managerOf(settings: StatementResult, signal: AbortSignal): AskManager | undefined {
    const set = new Map(settings.rows.map(([name = "", value = ""]) => [name, value]));
    const [host = "", port = ""] = [set.get("rest.address"), set.get("rest.port")];
    if (!/^[\w.-]{1,253}$/.test(host) || !/^\d{1,5}$/.test(port)) return undefined;
    return async (path) => {
      try {
        const { status, body } = await this.#world.outgoing.send({
          url: `http://${host}:${port}${path}`,
          timeout: limits.reason,
          mostBytes: limits.bytes,
          signal,
        });
        return status === 200 ? body : undefined;
      } catch (error) {
        // Where the gateway is reached, the job manager need not be.
        if (error instanceof OutgoingError) return undefined;
        throw error;
      }
    };
  }

  async #run(
    session: string,
    statement: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    const { clock } = this.#world;
    const end = clock.now() + limit;
    const body = await this.#ask("POST", `${session}/statements`, { statement }, signal);
    const operation = handleIn(body, "operationHandle");
    if (operation === undefined) throw this.#odd();
    let columns: readonly string[] = [];
    const rows: (readonly string[])[] = [];
    let pause = pauses.first;
    let bytes = 0;
    for (let token: number | undefined = 0; token !== undefined; ) {
      const path = `${session}/operations/${operation}/result/${token}?rowFormat=JSON`;
      const answer = await this.#ask("GET", path, undefined, signal);
      bytes += answer.length;
      const page: ResultPage | undefined = bytes > limits.result ? undefined : readPage(answer);
      if (page === undefined) throw this.#odd();
      if (clock.now() > end)
        throw this.#error(
          `has not run a statement within ${limit / 1000} s. It may have too little to run it with`,
          true,
        );
      if (page.kind === "waiting" || (page.rows.length === 0 && page.next !== undefined)) {
        await wait(pause, clock, signal);
        pause = Math.min(pause * 2, pauses.longest);
      }
      if (page.kind === "waiting") continue;
      columns = page.columns;
      rows.push(...page.rows);
      if (rows.length > limits.rows) throw this.#odd();
      token = page.next;
    }
    return { columns, rows };
  }

  /** The body of an answer whose status is 200. */
  async #ask(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { outgoing } = this.#world;
    try {
      const answer = await outgoing.send({
        url: `${this.#url}${path}`,
        method,
        ...(body !== undefined && {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
        timeout: limits.answer,
        mostBytes: limits.bytes,
        ...(signal && { signal }),
      });
      if (answer.status === 200) return answer.body;
      const words = redact(failureIn(answer.body), this.#secrets);
      const isBusy = answer.status === 429 || (answer.status > 500 && answer.status <= 599);
      throw this.#error(
        words === "" ? `answered with status ${answer.status}` : `refused a request: ${words}`,
        isBusy,
      );
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      throw this.#error(`gave no answer: ${redact(error.message, this.#secrets)}`, isPassing(error), error);
    }
  }

  #odd(): GatewayError {
    return this.#error("gave an answer that is none of Flink's SQL gateway. Check its address", false);
  }

  /** @param what the rest of a sentence */
  #error(what: string, isTemporary: boolean, cause?: unknown): GatewayError {
    const place = redact(this.#url, this.#secrets);
    return new GatewayError(`The gateway ${place} ${what}.`.replace(/([.!?])\.$/, "$1"), isTemporary, {
      cause,
    });
  }
}

/**
 * Requests a path from a job manager.
 * @returns the body of the answer; `undefined` if there is none
 */
type AskManager = (path: string) => Promise<Uint8Array | undefined>;

/** @param isLate whether it takes too long, since the job is not looked after meanwhile */
async function figuresFrom(
  job: string,
  ask: AskManager | undefined,
  isLate: () => boolean,
): Promise<JobFigures | undefined> {
  const path = `/jobs/${encodeURIComponent(job)}`;
  const body = await ask?.(path);
  if (!ask || !body) return undefined;
  const tasks: Metrics[] = [];
  for (const vertex of verticesIn(body)) {
    const metrics = `${path}/vertices/${vertex}/subtasks/metrics`;
    const listed = await ask(metrics);
    if (!listed || isLate()) return undefined;
    const names = metricsIn(listed);
    if (names.length === 0) continue;
    const query = names.map(encodeURIComponent).join(",");
    const values = await ask(`${metrics}?get=${query}&agg=${aggregations}`);
    if (!values || isLate()) return undefined;
    tasks.push(valuesIn(values));
  }
  return figuresOf(tasks);
}

/** Runs work on the first request for its result. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

function isPassing({ kind }: OutgoingError): boolean {
  return kind !== "bad-address" && kind !== "refused-address" && kind !== "too-long" && kind !== "stopped";
}
