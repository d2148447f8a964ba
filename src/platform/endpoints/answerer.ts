import { isRecord, parseJson } from "../../base/json-value.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import type { Engine, Hosting } from "../../hosting/engine.js";
import { HttpError } from "../../web/http/http-error.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import type { Endpoint, IndexedState } from "../subgraphs/endpoints.js";
import { AnswerCache } from "./answer-cache.js";
import { type EncodedAnswer, encoded, overspent } from "./encoded.js";
import { Gate } from "./gate.js";
import type { EndpointOptions } from "./options.js";
import type { Payer } from "./work-budget.js";

/** What a request asks. */
export interface AskedQuery {
  /** The text of the request. */
  readonly body: string;
  /** The same for all that ask the same; nothing where the body is no request. */
  readonly question: string | undefined;
  /** Whom the work that it makes is charged to. */
  readonly payer: Payer;
}

/** Reads what a request asks. @param payer who sent it */
export function askedQuery(body: string, payer: Payer): AskedQuery {
  return { body, question: questionOf(body), payer };
}

/** An answer that was begun before it was known for sure where its address leads. */
export interface Begun {
  /** Where it led last. */
  readonly endpoint: Endpoint;
  readonly answer: Promise<EncodedAnswer>;
}

/** Answers queries: from what is kept, with those who ask the same at the same time, or by the engine. */
export class Answerer {
  readonly #hosting: Hosting;
  readonly #meters: Platform["meters"];
  readonly #cache: AnswerCache;
  readonly #gate: Gate;
  /** What is being answered. */
  readonly #running = new Map<string, Promise<EncodedAnswer>>();
  /** Questions that engines are answering, with how many times each. */
  readonly #asked = new Map<string, number>();

  constructor({ hosting, meters }: Pick<Platform, "hosting" | "meters">, options: EndpointOptions) {
    this.#hosting = hosting;
    this.#meters = meters;
    this.#cache = new AnswerCache(options.keptBytes);
    this.#gate = new Gate(options);
  }

  /**
   * Answers a request.
   * @param endpoint as it was found after the request came
   * @param begun an answer that was begun after the request came; used if the endpoint has not changed
   * @throws Problem when too many wait, or the engine is not there; DatabaseError
   */
  async answer(endpoint: Endpoint, asked: AskedQuery, begun?: Begun): Promise<EncodedAnswer> {
    const { deployment, indexed } = endpoint;
    const { question } = asked;
    if (!indexed || question === undefined) return this.ask(endpoint, asked);
    const { stamp } = indexed;
    const kept = this.#cache.get(deployment, stamp, question);
    if (kept) {
      this.#meters?.queried(deployment, "memory");
      return kept;
    }
    const key = `${deployment}\n${stamp}\n${question}`;
    const known = this.#running.get(key);
    const shared = known && (await known);
    // That somebody else may not ask now says nothing of who asks here.
    if (shared && shared.status !== 429) {
      this.#meters?.queried(deployment, "shared");
      return shared;
    }
    const running = begun && isSame(begun.endpoint, endpoint) ? begun.answer : this.ask(endpoint, asked);
    this.#running.set(key, running);
    try {
      const answer = await running;
      if (isLasting(answer, indexed)) this.#cache.put(deployment, stamp, question, answer);
      return answer;
    } finally {
      this.#running.delete(key);
    }
  }

  /** Whether a question is being answered, or was, in the last known state of a deployment. */
  knows(deployment: string, question: string): boolean {
    return this.#cache.has(deployment, question) || this.#asked.has(`${deployment}\n${question}`);
  }

  /** Asks the engine, if the client has not had too much work done already. @throws as `answer` */
  async ask({ deployment, engine }: Endpoint, { body, question, payer }: AskedQuery): Promise<EncodedAnswer> {
    const found = this.#engine(engine);
    if (payer.wait() > 0) return this.#refused(deployment, payer);
    const key = `${deployment}\n${question}`;
    this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
    try {
      return await this.#gate.run(deployment, async () => {
        // What ran while this waited may have taken what was left.
        if (payer.wait() > 0) return this.#refused(deployment, payer);
        this.#meters?.queried(deployment, "engine");
        return encoded(await found.answer(deployment, body, (milliseconds) => payer.spend(milliseconds)));
      });
    } catch (cause) {
      if (!(cause instanceof HttpError || cause instanceof GraphNodeError)) throw cause;
      throw new Problem(
        "unavailable",
        `The engine that indexes this subgraph ${failureOf(cause)}; try again.`,
        {
          cause,
          retryAfter: secondsAfterFailure,
        },
      );
    } finally {
      const others = (this.#asked.get(key) ?? 1) - 1;
      if (others > 0) this.#asked.set(key, others);
      else this.#asked.delete(key);
    }
  }

  #refused(deployment: string, payer: Payer): EncodedAnswer {
    this.#meters?.queried(deployment, "refused");
    return overspent(payer.wait());
  }

  #engine(name: string): Engine {
    try {
      return this.#hosting.engine(name);
    } catch (cause) {
      const detail = "The engine that indexes this subgraph is not among those of this server.";
      throw new Problem("unavailable", detail, { cause });
    }
  }
}

/** Seconds after which an engine that did not answer may be asked again. */
const secondsAfterFailure = 10;

/** What went wrong, without the engine's address. */
function failureOf(error: HttpError | GraphNodeError): string {
  if (error instanceof GraphNodeError) return "did not answer as it should";
  return error.kind === "timeout" ? "did not answer in time" : "did not answer";
}

/** Whether nothing has happened to what is at an address, its state included. */
function isSame(one: Endpoint, other: Endpoint): boolean {
  return (
    one.deployment === other.deployment &&
    one.engine === other.engine &&
    one.indexed?.stamp === other.indexed?.stamp
  );
}

/** What a body asks, the same for all that ask the same; nothing for one that is no request. */
export function questionOf(body: string): string | undefined {
  const request = parseJson(body);
  if (!isRecord(request) || typeof request.query !== "string") return undefined;
  const { query, variables, operationName } = request;
  if (variables !== undefined && variables !== null && !isRecord(variables)) return undefined;
  // Where there is one operation, its name changes nothing.
  const mayBeSeveral = (query.match(/\b(?:query|mutation|subscription)\b/g)?.length ?? 0) > 1;
  const named = mayBeSeveral && typeof operationName === "string" ? [operationName] : [];
  return JSON.stringify([query, variables ?? {}, ...named]);
}

/**
 * Whether an answer would be given again. What another indexer might not say can be of the moment: a time that was over,
 * a database that was full. And the deployment may have moved on before it was read.
 */
function isLasting({ status, headers }: EncodedAnswer, { headHash }: IndexedState): boolean {
  if (status !== 200 || headers["graph-attestable"] !== "true") return false;
  const head = parseJson(headers["graph-indexed"] ?? "");
  return head === null || (isRecord(head) && head.hash === headHash);
}
