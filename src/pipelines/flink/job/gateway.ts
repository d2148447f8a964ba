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

/** A gateway that could not be asked, or a statement that it refuses. */
export class GatewayError extends PipelineError {
  override readonly name = "GatewayError";
}

/** What a statement answers: rows as text, by column. */
export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a gateway is reached with. */
export interface GatewayWorld {
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "timeout" | "now">;
}

/** Statements that are run one by one, with the settings and tables that they make. */
export interface GatewaySession {
  /**
   * Runs a statement, and waits for all of its result.
   * @param limit milliseconds that it may take
   * @throws GatewayError
   */
  run(statement: string, limit?: number): Promise<StatementResult>;
  /** Why a job has failed the last time, if the job manager can be asked; empty if not. */
  failureOf(job: string): Promise<string>;
  /** What a job has done, if the job manager can be asked. */
  figuresOf(job: string): Promise<JobFigures | undefined>;
  /** How often a job was started again, if the job manager can be asked. */
  restartsOf(job: string): Promise<JobRestarts | undefined>;
  /** Ends the session. A gateway that does not answer ends it by itself. */
  close(): Promise<void>;
}

/** Bytes of an answer, milliseconds for it and for a reason, and rows of a result. */
const limits = { bytes: 4 * 1024 * 1024, answer: 20_000, reason: 3_000, rows: 10_000 };
/** Milliseconds that a statement takes at most, if nothing else is said. */
const usualLimit = 60_000;
const pauses = { first: 20, longest: 500 };

/** A client of Flink's SQL gateway. */
export class FlinkGateway {
  readonly #url: string;
  readonly #world: GatewayWorld;
  readonly #secrets: readonly string[];

  /**
   * @param url where the gateway answers, such as `http://localhost:8083`
   * @param secrets texts that messages must not repeat, though the gateway may
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
      figuresOf: async (job) => figuresFrom(job, await manager()),
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

  /** What asks the job manager that the settings name: the gateway itself knows neither reasons nor figures. */
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
    let result: StatementResult = { columns: [], rows: [] };
    let pause = pauses.first;
    for (let token: number | undefined = 0; token !== undefined; ) {
      const page: ResultPage | undefined = readPage(
        await this.#ask(
          "GET",
          `${session}/operations/${operation}/result/${token}?rowFormat=JSON`,
          undefined,
          signal,
        ),
      );
      if (page === undefined) throw this.#odd();
      if (clock.now() > end)
        throw this.#error(
          `has not run a statement within ${limit / 1000} s. It may have too little to run it with`,
          true,
        );
      if (page.kind === "waiting") {
        await wait(pause, clock, signal);
        pause = Math.min(pause * 2, pauses.longest);
        continue;
      }
      result = { columns: page.columns, rows: [...result.rows, ...page.rows] };
      if (result.rows.length > limits.rows) throw this.#odd();
      token = page.next;
    }
    return result;
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

/** Asks a job manager for a path. @returns the body of its answer; `undefined` if it gives none */
type AskManager = (path: string) => Promise<Uint8Array | undefined>;

async function figuresFrom(job: string, ask: AskManager | undefined): Promise<JobFigures | undefined> {
  const path = `/jobs/${encodeURIComponent(job)}`;
  const body = await ask?.(path);
  if (!ask || !body) return undefined;
  const tasks: Metrics[] = [];
  for (const vertex of verticesIn(body)) {
    const metrics = `${path}/vertices/${vertex}/subtasks/metrics`;
    const names = metricsIn((await ask(metrics)) ?? new Uint8Array());
    if (names.length === 0) continue;
    const query = names.map(encodeURIComponent).join(",");
    tasks.push(valuesIn((await ask(`${metrics}?get=${query}&agg=${aggregations}`)) ?? new Uint8Array()));
  }
  return figuresOf(tasks);
}

/** Does work when its result is first asked for. */
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
