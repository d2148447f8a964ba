import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import { nobody } from "../../deploy/graph-node/status.js";
import type { BodyAnswer } from "../../query/answer-body.js";
import type { Spend } from "../../query/engine.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";

/** Headers of graph-node's answers that are passed on to clients. */
const told = ["graph-attestable", "graph-indexed"];
/** Milliseconds that a query may take. The client can repeat it. */
const patience = 30_000;
/** A query that every deployment answers. */
const glance = JSON.stringify({ query: "{ _meta { block { number } } }" });

interface Asked {
  readonly status: 200 | 400;
  readonly text: string;
  readonly headers: Headers;
}

/** The query nodes of a graph-node. They throw HttpError if there is no answer, and GraphNodeError if it is invalid. */
export interface QueryNodes {
  /** Protocol, host and port. */
  readonly origin: string;
  /**
   * Passes the body of a query on to a deployment, and reports how long it took. Waiting without an answer costs the
   * client nothing, because the cost would also count against other engines.
   * @param gone aborted when all clients that asked have left. The request ends with the signal's reason
   */
  answer(deployment: string, body: string, spend?: Spend, gone?: AbortSignal): Promise<BodyAnswer>;
  /** Sends a request that only query nodes answer. @throws if there is a different answer or none */
  verify(options: SendOptions): Promise<void>;
  /** Whether they know a deployment. */
  knows(deployment: string, options: SendOptions): Promise<boolean>;
}

/**
 * Answers queries with the query nodes of a graph-node.
 * @param base `http://localhost:8000`
 * @throws GraphNodeError if the address is not a web URL
 */
export function createQueryNodes(base: string, world: World, options: SendOptions): QueryNodes {
  const address = serviceAddress(base);
  if (!address) throw new GraphNodeError(`The address of graph-node's queries ${notAnAddress}`);
  const { origin } = address;

  async function ask(
    deployment: string,
    text: string,
    more: SendOptions,
    own: Pick<World, "fetch"> = world,
  ): Promise<Asked> {
    const url = address?.at(`/subgraphs/id/${encodeURIComponent(deployment)}`, {}) ?? "";
    const request = { method: "POST", url, body: { kind: "json-text", text }, retry: false } as const;
    const answer = await send(
      request,
      { ...world, fetch: own.fetch },
      {
        timeout: patience,
        answerTime: patience,
        ...options,
        ...more,
      },
    );
    const { status } = answer;
    if (status === 200 || status === 400) return { status, text: answer.text, headers: answer.headers };
    throw new GraphNodeError(`${origin} did not answer a query (status ${answer.status})`);
  }

  async function knows(deployment: string, more: SendOptions): Promise<boolean> {
    const { text } = await ask(deployment, glance, more);
    const said = parseJson(text);
    if (!isRecord(said) || !("data" in said || Array.isArray(said.errors))) {
      throw new GraphNodeError(`${origin} did not answer like a query node of graph-node`);
    }
    return !text.includes(`deployment \`${deployment}\` does not exist`);
  }

  return {
    origin,
    knows,
    async verify(more) {
      if (!(await knows(nobody, more))) return;
      throw new GraphNodeError(`${origin} did not answer like a query node of graph-node`);
    },
    answer,
  };

  async function answer(
    deployment: string,
    text: string,
    spend: Spend = () => undefined,
    gone?: AbortSignal,
  ): Promise<BodyAnswer> {
    const begun = world.now();
    gone?.throwIfAborted();
    const asked = ask(deployment, text, {}, gone && { fetch: endingWith(gone, world) });
    const answer = await asked.catch((error: unknown) => {
      gone?.throwIfAborted();
      throw error;
    });
    const { status, text: body, headers: all } = answer;
    spend(world.now() - begun);
    const headers = told.flatMap((name) => {
      const value = all.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return { status, body, headers: Object.fromEntries(headers) };
  }
}

/** A fetch whose requests end when a signal is aborted. */
function endingWith(gone: AbortSignal, { fetch }: Pick<World, "fetch">): World["fetch"] {
  return (url, request) => {
    const signal = request.signal ? AbortSignal.any([gone, request.signal]) : gone;
    return fetch(url, { ...request, signal });
  };
}
