import type { FastifyRequest } from "fastify";
import { type FairLimits, FairTurns } from "../../base/turns/fair-turns.js";
import { goneOf } from "../http/limits/gone-of.js";
import { bearerOf } from "../people/access.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { clientOf } from "../rate-limiter.js";
import { readBudget } from "./budget.js";
import type { EdgeCounts } from "./counts.js";
import { isAllowed } from "./domains.js";
import { type EdgeEndpoint, type EdgeProduct, edgeEndpointOf } from "./edge-endpoints.js";

/** Limits how much each of many clients may do in a minute. */
class MinuteLimit {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #minute = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes an amount from a client's limit for this minute.
   * @returns seconds until the next minute if too little is left; nothing is taken then
   */
  take(who: string, limit: number | undefined, amount: number): number | undefined {
    const now = this.#now();
    const minute = Math.floor(now / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    if (limit === undefined) return undefined;
    const taken = this.#counts.get(who) ?? 0;
    if (taken + amount > limit) return Math.ceil(((minute + 1) * 60_000 - now) / 1000);
    this.#counts.set(who, taken + amount);
    return undefined;
  }
}

const behind: Readonly<Record<EdgeProduct, string>> = {
  rpc: "chain nodes",
  data: "the data service",
};

/** How much work behind endpoints is done at once. The work of one project waits first. */
const turnLimits: Readonly<Record<EdgeProduct, Pick<FairLimits, "atOnce" | "atOnceOfOne">>> = {
  rpc: { atOnce: 256, atOnceOfOne: 64 },
  data: { atOnce: 8, atOnceOfOne: 4 },
};

function turnsOf(product: EdgeProduct): FairTurns {
  return new FairTurns({
    ...turnLimits[product],
    waitingOfOne: 200,
    refusal: `The endpoints of this project have 200 requests to ${behind[product]} waiting already. Wait for their answers, then try again.`,
  });
}

/** The result of admitted work. */
export interface Admitted<Answer> {
  readonly answer: Answer;
  /** How many of its calls failed. */
  readonly errors: number;
}

/** Admits requests that carry an endpoint's key, within the endpoint's limits, and counts them. */
export interface Gatekeeper {
  /**
   * @param request contains the key: a bearer token, `x-api-key`, `?secret=` or `?key=`; the first one that belongs
   * to an endpoint counts
   * @param calls its share of the budget. A refused request takes nothing and is not counted
   * @param work the work behind the endpoint; if it throws, all calls count as errors
   * @throws Problem when the request is refused; DatabaseError
   */
  admit<Answer>(
    request: FastifyRequest,
    wanted: { readonly product: EdgeProduct; readonly calls: number; readonly check?: () => void },
    work: (endpoint: EdgeEndpoint) => Promise<Admitted<Answer>>,
  ): Promise<Answer>;
}

/** Creates a gatekeeper for all endpoints of a server. Budgets are per minute and per process. */
export function createGatekeeper({ database, world }: Platform, counts: EdgeCounts): Gatekeeper {
  const total = new MinuteLimit(() => world.now());
  const perAddress = new MinuteLimit(() => world.now());
  const turns = { rpc: turnsOf("rpc"), data: turnsOf("data") };

  async function endpointOf(request: FastifyRequest): Promise<EdgeEndpoint> {
    for (const key of keysIn(request)) {
      const found = await edgeEndpointOf(database, key);
      if (found) return found;
    }
    throw new Problem(
      "unauthorized",
      "Send the key of an endpoint: in the header x-api-key, as a bearer token, or as ?secret=.",
    );
  }

  function limit(endpoint: EdgeEndpoint, calls: number, address: string): void {
    const budget = readBudget(endpoint.budget);
    const name = `${endpoint.project}/${endpoint.name}`;
    const wait =
      total.take(name, budget.total, calls) ??
      perAddress.take(`${name} ${address}`, budget.perAddress, calls);
    if (wait === undefined) return;
    throw new Problem(
      "rate-limited",
      `The endpoint's budget for this minute is used up (${endpoint.budget}).`,
      {
        retryAfter: wait,
      },
    );
  }

  return {
    async admit(request, { product, calls, check }, work) {
      const endpoint = await endpointOf(request);
      judge(endpoint, product, request);
      check?.();
      limit(endpoint, calls, clientOf(request.ip));
      try {
        const { answer, errors } = await turns[product].run(
          endpoint.project,
          () => work(endpoint),
          goneOf(request),
        );
        counts.add(endpoint, calls, Math.min(calls, errors));
        return answer;
      } catch (error) {
        counts.add(endpoint, calls, calls);
        throw error;
      }
    },
  };
}

/** @throws Problem when the endpoint is for another product, is paused, or does not allow the page */
function judge(endpoint: EdgeEndpoint, product: EdgeProduct, request: FastifyRequest): void {
  if (endpoint.product !== product) {
    throw new Problem(
      "forbidden",
      `This endpoint gives access to ${behind[endpoint.product]}, not to ${behind[product]}.`,
    );
  }
  if (endpoint.pausedAt) throw new Problem("forbidden", "The endpoint is paused.");
  if (!isAllowed(endpoint.domains, request.headers.origin)) {
    throw new Problem(
      "forbidden",
      "Pages of this domain may not use the endpoint. Add the domain to the endpoint's allowed_domains.",
    );
  }
}

/** All keys in a request, in the order of trying them: a proxy or a library may add others. */
function keysIn(request: FastifyRequest): readonly string[] {
  const { secret, key } = request.query as { readonly secret?: unknown; readonly key?: unknown };
  const given = [bearerOf(request), request.headers["x-api-key"], secret, key];
  return given.filter((each) => typeof each === "string").filter((each) => each !== "");
}
