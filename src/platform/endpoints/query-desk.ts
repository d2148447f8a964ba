import { LRUCache } from "lru-cache";
import type { AnsweredBy } from "../../base/meters.js";
import { type FairPlaces, FairTurns, TooMuchWaitingError } from "../../base/turns/fair-turns.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import type { Engine } from "../../hosting/engine.js";
import { type QueryBody, questionOf, readQueryBody } from "../../query/query-body.js";
import { HttpError } from "../../web/http/http-error.js";
import { Gate } from "../gate.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import type { Endpoint, IndexedState } from "../subgraphs/endpoints.js";
import { abandoned, type EncodedAnswer, encoded, overspent } from "./encoded.js";
import type { QueryEndpointOptions } from "./options.js";
import { QueryFlights } from "./query-flights.js";
import type { Payer } from "./work-budget.js";

/** The query of a request. */
export interface AskedQuery {
  readonly body: QueryBody;
  /** Equal for equal queries; `undefined` if the body is not a request. */
  readonly question: string | undefined;
  /** The client that is charged for the work. */
  readonly payer: Payer;
  /** Aborted if the client leaves before its answer. */
  readonly gone: AbortSignal | undefined;
}

/** Reads a request. @param payer the client that sent it */
export function askedQuery(text: string, payer: Payer, gone?: AbortSignal): AskedQuery {
  const body = readQueryBody(text);
  return { body, question: questionOf(body), payer, gone };
}

/** A query to a deployment in a certain state. */
interface Question {
  readonly endpoint: Endpoint;
  readonly state: IndexedState;
  /** Equal in all states. */
  readonly key: string;
  /** Identifies the query for this state. */
  readonly flight: string;
}

type DeskPlatform = Pick<Platform, "hosting" | "meters"> & { readonly world: Pick<World, "now" | "timeout"> };

type DeskOptions = Pick<
  QueryEndpointOptions,
  "keptBytes" | "running" | "waiting" | "ofAll" | "ofProject" | "heldOfProject"
> & {
  /**
   * Whether to ask the engine while the address is still being looked up, assuming that its target has not changed.
   * This saves time if the database is a server, since both take a round trip.
   */
  readonly startsEarly: boolean;
};

/** How many addresses to remember. */
const mostAddresses = 1_000;
/** Approximate bytes of a kept answer besides its texts. */
const overhead = 400;
/**
 * How long a refusal to a client that has used too much may be held back, in milliseconds, and how many refusals at
 * once.
 */
const longestHeldBack = 500;
const mostHeldBack = 500;
/** Seconds after which an engine that did not answer may be asked again. */
const secondsAfterFailure = 10;

/**
 * Answers queries: from an LRU cache, by single flight with equal queries for the same state, or by the engine, which
 * runs only a few at once for each deployment and each project. Projects take turns.
 */
export class QueryDesk {
  readonly #platform: DeskPlatform;
  readonly #gate: Gate;
  readonly #places: FairPlaces;
  /** By engine. */
  readonly #turns = new Map<string, FairTurns>();
  /** Running and waiting queries, by project. */
  readonly #held = new Map<string, number>();
  readonly #mostHeld: number;
  /** Number of refusals held back. */
  #heldBack = 0;
  /** Answers with the stamp of their state. `undefined` if answers are not cached. */
  readonly #kept: LRUCache<string, { readonly stamp: string; readonly answer: EncodedAnswer }> | undefined;
  /** The queries being answered. */
  readonly #flights = new QueryFlights();
  /** Where addresses led last. */
  readonly #last: LRUCache<string, Endpoint> | undefined;

  constructor(platform: DeskPlatform, options: DeskOptions) {
    const { keptBytes, startsEarly } = options;
    this.#platform = platform;
    this.#gate = new Gate(options);
    this.#mostHeld = options.heldOfProject;
    this.#places = { atOnce: options.ofAll, atOnceOfOne: options.ofProject };
    if (startsEarly) this.#last = new LRUCache({ max: mostAddresses });
    if (keptBytes === 0) return;
    this.#kept = new LRUCache({
      maxSize: keptBytes,
      // No answer takes most of the space.
      maxEntrySize: Math.ceil(keptBytes / 8),
      // Characters take two bytes at the most.
      sizeCalculation: ({ answer }, key) => 2 * key.length + answer.bytes.length + overhead,
    });
  }

  /** Approximate bytes of all cached answers. */
  get keptBytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  /**
   * Answers a request.
   * @param address the address that `find` looks up
   * @param find looks up the address's target; called after the request arrived, so that no answer is older than the
   * request
   * @returns `undefined` if the address has no target
   * @throws Problem if too many wait, or the engine is unavailable; DatabaseError; errors of `find`
   */
  async answer(
    asked: AskedQuery,
    address: string,
    find: () => Promise<Endpoint | undefined>,
  ): Promise<EncodedAnswer | undefined> {
    const began = this.#platform.world.now();
    const early = this.#startEarly(asked, this.#last?.get(address));
    const endpoint = await find();
    if (!endpoint) {
      this.#last?.delete(address);
      return undefined;
    }
    this.#last?.set(address, endpoint);
    const question = questionAt(endpoint, asked);
    if (!question) return this.#ask(endpoint, asked, asked.gone);
    if (early?.flight === question.flight) return early.answer;
    const kept = this.#kept?.get(question.key);
    if (kept?.stamp === question.state.stamp) return this.#metered(endpoint, "memory", kept.answer, began);
    // Do not wait before the flight begins: other requests would start a second one.
    let flight = this.#flights.join(question.flight, asked.gone);
    while (flight) {
      const shared = await flight;
      if (shared.status < 429 || asked.gone?.aborted) {
        return this.#metered(endpoint, "shared", shared, began);
      }
      // A refusal to another client does not apply to this client. If all others have left, the clients that joined
      // too late to keep the query running start it again, together.
      flight = shared === abandoned ? this.#flights.join(question.flight, asked.gone) : undefined;
    }
    return this.#fly(question, asked);
  }

  /** Starts a query that is neither cached nor being answered, for the state last seen. */
  #startEarly(
    asked: AskedQuery,
    endpoint: Endpoint | undefined,
  ): { readonly flight: string; readonly answer: Promise<EncodedAnswer> } | undefined {
    const question = endpoint && questionAt(endpoint, asked);
    if (!question || this.#flights.has(question.flight)) return undefined;
    if (this.#kept?.peek(question.key)?.stamp === question.state.stamp) return undefined;
    const answer = this.#fly(question, asked);
    // The caller gets a failure later; until then it must not count as unhandled.
    answer.catch(() => undefined);
    return { flight: question.flight, answer };
  }

  #fly({ endpoint, state, key, flight }: Question, asked: AskedQuery): Promise<EncodedAnswer> {
    return this.#flights.begin(flight, asked.gone, async (gone) => {
      const answer = await this.#ask(endpoint, asked, gone);
      if (isLasting(answer, state)) this.#kept?.set(key, { stamp: state.stamp, answer });
      return answer;
    });
  }

  /**
   * Asks the engine, unless the client has used up its share.
   * @param gone aborted once all clients of the query have left
   * @throws as `answer`
   */
  async #ask(
    { project, deployment, engine }: Endpoint,
    { body, payer }: AskedQuery,
    gone: AbortSignal | undefined,
  ): Promise<EncodedAnswer> {
    const found = this.#engine(engine);
    const began = this.#platform.world.now();
    if (payer.wait() > 0) return this.#refused(deployment, payer, began, gone);
    try {
      const answered = await this.#inTurn({ project, deployment, engine }, gone, async () => {
        // Work that ran while this waited may have used up the rest.
        if (payer.wait() > 0) return undefined;
        const spend = (milliseconds: number): void => payer.spend(milliseconds);
        const answer = await found.answer(deployment, body, spend, gone);
        this.#count(deployment, "engine", began);
        return encoded(answer);
      });
      return answered ?? this.#refused(deployment, payer, began, gone);
    } catch (cause) {
      if (gone?.aborted && cause === gone.reason) return abandoned;
      const isRefused = cause instanceof Problem || cause instanceof TooMuchWaitingError;
      this.#count(deployment, isRefused ? "refused" : "failed", began);
      if (!(cause instanceof HttpError || cause instanceof GraphNodeError)) throw cause;
      const detail = `The engine that indexes this subgraph ${failureText(cause)}. Try again.`;
      throw new Problem("unavailable", detail, { cause, retryAfter: secondsAfterFailure });
    }
  }

  /**
   * Runs work in the turn of its deployment among those of its project, and then in the turn of its project.
   * @param gone removes waiting work from its line
   * @throws Problem and TooMuchWaitingError if too much is waiting, the reason of the signal, and errors of the work
   */
  async #inTurn<Result>(
    { project, deployment, engine }: Pick<Endpoint, "project" | "deployment" | "engine">,
    gone: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const turns = this.#turns.get(engine) ?? new FairTurns(this.#places);
    this.#turns.set(engine, turns);
    const held = (this.#held.get(project) ?? 0) + 1;
    if (held > this.#mostHeld) {
      const refusal = `This project has ${this.#mostHeld} queries waiting already. Wait for their answers, then try again.`;
      throw new TooMuchWaitingError(refusal, 1);
    }
    this.#held.set(project, held);
    try {
      return await this.#gate.run(`${project} ${engine} ${deployment}`, () => turns.run(project, work, gone));
    } finally {
      const left = (this.#held.get(project) ?? 1) - 1;
      if (left > 0) this.#held.set(project, left);
      else this.#held.delete(project);
    }
  }

  /** Hold the answer back for a moment, so that a client that retries immediately costs little. */
  async #refused(
    deployment: string,
    payer: Payer,
    began: number,
    gone: AbortSignal = new AbortController().signal,
  ): Promise<EncodedAnswer> {
    this.#count(deployment, "refused", began);
    if (this.#heldBack < mostHeldBack) {
      this.#heldBack += 1;
      try {
        await wait(Math.min(payer.wait(), longestHeldBack), this.#platform.world, gone);
      } finally {
        this.#heldBack -= 1;
      }
    }
    return overspent(payer.wait());
  }

  #metered(
    { deployment }: Endpoint,
    from: "memory" | "shared",
    answer: EncodedAnswer,
    began: number,
  ): EncodedAnswer {
    this.#count(deployment, from, began);
    return { ...answer, from };
  }

  /** @param began milliseconds since 1970 */
  #count(deployment: string, from: AnsweredBy, began: number): void {
    const { meters, world } = this.#platform;
    meters?.queried(deployment, from, Math.max(0, world.now() - began) / 1000);
  }

  #engine(name: string): Engine {
    try {
      return this.#platform.hosting.engine(name);
    } catch (cause) {
      const detail = "This server does not have the engine that indexes this subgraph.";
      throw new Problem("unavailable", detail, { cause });
    }
  }
}

/** The reason of a failure, without the engine's address. */
function failureText(error: HttpError | GraphNodeError): string {
  if (error instanceof GraphNodeError) return "gave an invalid answer";
  return error.kind === "timeout" ? "did not answer in time" : "did not answer";
}

/** Returns `undefined` if the body is not a valid request or the deployment's state is unknown. */
function questionAt(endpoint: Endpoint, { question }: AskedQuery): Question | undefined {
  const { deployment, engine, indexed: state } = endpoint;
  if (!state || question === undefined) return undefined;
  const key = `${engine}\n${deployment}\n${question}`;
  return { endpoint, state, key, flight: `${state.stamp}\n${key}` };
}

/**
 * Whether the answer would be the same again. An answer that another indexer might not give can be temporary: a
 * timeout, or a full disk. And the deployment may have moved on before it was read.
 */
function isLasting({ status, attested }: EncodedAnswer, { headHash }: IndexedState): boolean {
  return status === 200 && attested !== undefined && (attested.head?.hash ?? headHash) === headHash;
}
