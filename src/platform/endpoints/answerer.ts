import { isRecord, parseJson } from "../../base/json-value.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import { HttpError } from "../../web/http/http-error.js";
import type { Endpoint, IndexedState } from "../catalog/endpoints.js";
import type { Engine, Hosting } from "../hosting/engine.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { AnswerCache } from "./answer-cache.js";
import { type EncodedAnswer, encoded } from "./encoded.js";
import { Gate } from "./gate.js";
import type { EndpointOptions } from "./options.js";

/** Answers queries: from what is kept, with those who ask the same at the same time, or by the engine. */
export class Answerer {
  readonly #hosting: Hosting;
  readonly #meters: Platform["meters"];
  readonly #cache: AnswerCache;
  readonly #gate: Gate;
  /** What is being answered. */
  readonly #running = new Map<string, Promise<EncodedAnswer>>();

  constructor({ hosting, meters }: Pick<Platform, "hosting" | "meters">, options: EndpointOptions) {
    this.#hosting = hosting;
    this.#meters = meters;
    this.#cache = new AnswerCache(options.keptBytes);
    this.#gate = new Gate(options);
  }

  /**
   * Answers the body of a request.
   * @param endpoint as it was found after the request came
   * @throws Problem when too many wait, or the engine is not there; DatabaseError
   */
  async answer(endpoint: Endpoint, body: string): Promise<EncodedAnswer> {
    const { deployment, indexed } = endpoint;
    const question = indexed && questionOf(body);
    if (!indexed || question === undefined) return this.#ask(endpoint, body);
    const { stamp } = indexed;
    const kept = this.#cache.get(deployment, stamp, question);
    if (kept) {
      this.#meters?.queried(deployment, "memory");
      return kept;
    }
    const key = `${deployment}\n${stamp}\n${question}`;
    const known = this.#running.get(key);
    if (known) {
      this.#meters?.queried(deployment, "shared");
      return known;
    }
    const asked = this.#ask(endpoint, body);
    this.#running.set(key, asked);
    try {
      const answer = await asked;
      if (isLasting(answer, indexed)) this.#cache.put(deployment, stamp, question, answer);
      return answer;
    } finally {
      this.#running.delete(key);
    }
  }

  #ask({ deployment, engine }: Endpoint, body: string): Promise<EncodedAnswer> {
    const found = this.#engine(engine);
    this.#meters?.queried(deployment, "engine");
    return this.#gate.run(deployment, async () => {
      try {
        return encoded(await found.answer(deployment, body));
      } catch (cause) {
        if (!(cause instanceof HttpError || cause instanceof GraphNodeError)) throw cause;
        throw new Problem("unavailable", "The engine that indexes this subgraph did not answer; try again.", {
          cause,
        });
      }
    });
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

/** What a body asks, the same for all that ask the same; nothing for one that is no request. */
export function questionOf(body: string): string | undefined {
  const request = parseJson(body);
  if (!isRecord(request) || typeof request.query !== "string") return undefined;
  const { query, variables } = request;
  if (variables !== undefined && variables !== null && !isRecord(variables)) return undefined;
  return JSON.stringify([query, variables ?? {}]);
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
