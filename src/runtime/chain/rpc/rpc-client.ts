import { reportFailure } from "../../../base/failures.js";
import { backoff } from "../../../base/turns/backoff.js";
import { guarded, inBackground } from "../../../base/turns/guarded.js";
import type { World } from "../../../base/world.js";
import { ChainError, MissingStateError, ReorgError } from "../chain.js";
import {
  clip,
  isRevert,
  type Refusal,
  RpcError,
  StatusError,
  StrainError,
  saysBlockIsGone,
  saysListsTooLong,
  saysPermanent,
  saysPruned,
  saysRangeTooWide,
  saysTemporary,
  saysTooLarge,
} from "../rpc-errors.js";
import { BatchSize, mayRefuseBatch } from "./batch-size.js";
import { createRpcEndpoint, type PostOutcome, type RpcEndpoint } from "./endpoint.js";
import { nodeBackoff } from "./node-backoff.js";
import { RequestBudget, type RequestLimits } from "./request-budget.js";
import { type Answer, readAnswers } from "./rpc-answers.js";

/** Methods whose answer does not depend on a block or on pruned data. */
const namesNoBlock: ReadonlySet<string> = new Set(["eth_chainId", "eth_blockNumber", "net_version"]);

/** A JSON-RPC client of a node. */
export interface RpcClient {
  /**
   * Calls a method and returns its `result`. It retries errors that are not known to be permanent, within `patience`.
   * @throws RpcError when the node refuses the request permanently
   * @throws ReorgError when the node does not know a block
   * @throws StatusError when a server refuses the request with an HTTP status
   * @throws StrainError see `strain`
   * @throws RequestLimitError when all requests that were allowed have been sent
   * @throws ChainError when no usable answer arrives within `patience`
   */
  request(method: string, parameters: readonly unknown[], options?: RequestOptions): Promise<unknown>;
}

export interface RequestOptions {
  /**
   * Strained attempts before giving up: timeouts, and broken answers of a node that was reached. By default only
   * `patience` limits them.
   */
  readonly strain?: number;
  /**
   * Attempts that the node refuses for any reason, even one that may pass, before the request fails with a `StrainError`: the
   * caller can ask for less at once. No limit by default.
   */
  readonly refusals?: number;
  /** Errors to throw without a retry, besides the permanent ones, because the caller has an alternative. */
  readonly tells?: (refusal: Refusal) => boolean;
}

export interface RpcClientOptions extends RequestLimits {
  /** Timeout of one exchange in milliseconds. Default: 30 seconds. */
  readonly timeout?: number;
  /** Milliseconds without any answer, including retries, before a request fails. Default: 10 minutes. */
  readonly patience?: number;
  /** Maximum number of requests in a batch. Default: 100. */
  readonly batch?: number;
  /** Maximum number of concurrent exchanges. Default: 8. */
  readonly concurrency?: number;
  /** Called before every retry with the reason and the wait in milliseconds. */
  readonly onRetry?: (why: string, wait: number) => void;
}

/** A status that servers before a node also send for a moment, such as while they suspect an attack. */
const forbiddenStatus = 403;
/** Attempts that may end with it. */
const mostForbidden = 3;
/** Statuses with which servers lock out a client, even for small requests. */
const lockedOut: ReadonlySet<number> = new Set([401, 402, forbiddenStatus, 407]);
/** Minimum attempts for a request that was not answered in time, however short `patience` is. */
const leastAttempts = 2;

/** A request without an answer yet. */
interface Pending {
  readonly method: string;
  readonly parameters: readonly unknown[];
  readonly strain: number;
  readonly refusals: number;
  readonly tells: (refusal: Refusal) => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Unanswered requests after an attempt, and the reason. */
interface Remainder {
  readonly requests: readonly Pending[];
  readonly why: string;
  readonly strained: boolean;
  /** Whether the node refused a whole batch because of a rate limit. */
  readonly limited?: boolean;
  /** Whether the node answered, and refused the requests. */
  readonly refused?: boolean;
  /** Whether a server before the node forbade access, which may be a mistake of its own. */
  readonly forbidden?: boolean;
  readonly wait?: number;
}

const defaults = { timeout: 30_000, patience: 600_000, batch: 100, concurrency: 8 };

/**
 * Creates a client of the node at a URL. Requests of one tick, and requests queued in the meantime, are sent as one
 * batch.
 * @throws ChainError when the address is not a web URL
 */
export function createRpcClient(address: string, world: World, options: RpcClientOptions = {}): RpcClient {
  return new Client(createRpcEndpoint(address, world.fetch), world, options);
}

class Client implements RpcClient {
  readonly #waiting: Pending[] = [];
  #running = 0;
  #scheduled = false;
  /** When the node last answered a request, in milliseconds since the Unix epoch. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #lastId = 0;
  readonly #batch: BatchSize;
  readonly #budget: RequestBudget;
  readonly #limits: typeof defaults;
  readonly #endpoint: RpcEndpoint;
  readonly #world: World;
  readonly #onRetry: RpcClientOptions["onRetry"];

  constructor(endpoint: RpcEndpoint, world: World, options: RpcClientOptions) {
    this.#endpoint = endpoint;
    this.#world = world;
    this.#onRetry = options.onRetry;
    this.#limits = { ...defaults, ...options };
    this.#batch = new BatchSize(this.#limits.batch);
    this.#budget = new RequestBudget(options, world);
  }

  request(method: string, parameters: readonly unknown[], options: RequestOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { strain = Number.POSITIVE_INFINITY, refusals = Number.POSITIVE_INFINITY } = options;
      const { tells = () => false } = options;
      this.#waiting.push({ method, parameters, strain, refusals, tells, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const start = (): void => {
      this.#scheduled = false;
      this.#start();
    };
    queueMicrotask(
      guarded(start, (error) => {
        for (const request of this.#waiting.splice(0)) request.reject(error as Error);
      }),
    );
  }

  /** Limits concurrency without a `Semaphore`: waiting requests are sent in one batch as soon as a slot is free. */
  #start(): void {
    while (this.#running < this.#limits.concurrency && this.#waiting.length > 0) {
      const requests = this.#waiting.splice(0, this.#batch.now);
      this.#running++;
      const delivery = this.#deliver(requests)
        .catch((error: Error) => {
          for (const request of requests) request.reject(error);
        })
        .finally(() => {
          this.#running--;
          this.#schedule();
        });
      inBackground(delivery, reportFailure);
    }
  }

  /** Retries requests until each is settled. */
  async #deliver(requests: readonly Pending[]): Promise<void> {
    const since = this.#world.now();
    let open = requests;
    let forbidden = 0;
    for (let attempt = 1, strained = 0, refused = 0; open.length > 0; attempt++) {
      const left = await this.#attempt(open);
      if (left.requests.length === 0) return;
      if (left.strained) strained++;
      if (left.refused) refused++;
      if (left.forbidden && ++forbidden === mostForbidden)
        return this.#refuseAll(left.requests, left.why, forbiddenStatus);
      const wait = Math.max(left.wait ?? 0, backoff(attempt, nodeBackoff, this.#world.random()));
      // The caller asks for less at once, but not before the time that the node asks to wait.
      const isLeft = left.requests.some(({ refusals }) => refused >= refusals);
      if (isLeft && (left.limited || left.wait !== undefined))
        await this.#world.sleep(Math.min(wait, this.#limits.patience));
      open = this.#dropStrained(left, strained, refused);
      if (open.length === 0) return;
      // A batch that alone exceeds a rate limit is refused after any wait.
      const isTooLarge = left.strained || ((left.limited || left.refused) && attempt > 1);
      if (isTooLarge) this.#batch.shrink(Math.min(open.length, this.#batch.now));
      // As long as the node answers other requests, it is reachable.
      const spent = this.#world.now() - Math.max(since, this.#answeredAt);
      if (spent + wait > this.#limits.patience && !this.#isOwedAnother(left, attempt))
        return this.#giveUp(open, left, attempt, spent);
      this.#onRetry?.(left.why, wait);
      await this.#world.sleep(wait);
    }
  }

  /** A lost request may use up all its patience, and is still sent again. */
  #isOwedAnother({ strained, wait }: Remainder, attempt: number): boolean {
    return strained && wait === undefined && attempt < leastAttempts && this.#limits.patience > 0;
  }

  /** One attempt: sends the requests once, in as many batches as needed. */
  async #attempt(requests: readonly Pending[]): Promise<Remainder> {
    let worst: Remainder = { requests: [], why: "", strained: false };
    const left: Pending[] = [];
    for (let start = 0; start < requests.length; ) {
      const size = await this.#budget.take(Math.min(this.#batch.now, requests.length - start));
      const part = requests.slice(start, start + size);
      const outcome = await this.#exchange(part);
      if (outcome === "split") continue;
      start += size;
      left.push(...outcome.requests);
      if (outcome.requests.length > 0) worst = outcome;
    }
    return { ...worst, requests: left };
  }

  /** One exchange. Returns "split" when the batch was too large; the batch size is then already reduced. */
  async #exchange(requests: readonly Pending[]): Promise<Remainder | "split"> {
    const first = this.#lastId + 1;
    this.#lastId += requests.length;
    const bodies = requests.map(({ method, parameters }, index) => ({
      jsonrpc: "2.0",
      id: first + index,
      method,
      params: parameters,
    }));
    const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
    const signal = this.#world.timeout(this.#limits.timeout);
    const exchange = await this.#endpoint.post(body, signal, () => this.#world.now());
    return this.#receive(requests, exchange, first);
  }

  #receive(requests: readonly Pending[], exchange: PostOutcome, first: number): Remainder | "split" {
    if (exchange.kind === "failed") return { requests, ...exchange };
    if (exchange.kind === "refused") {
      const { status, why } = exchange;
      if (mayRefuseBatch(status) && this.#batch.refuse(requests.length)) return "split";
      if (status === forbiddenStatus)
        return { requests, why, strained: false, refused: true, forbidden: true };
      const isTooMuch = ({ refusals }: Pending): boolean =>
        mayMeanTooMuch(status) && Number.isFinite(refusals);
      for (const request of requests.filter(isTooMuch)) request.reject(this.#strainError(request, why));
      this.#refuseAll(
        requests.filter((request) => !isTooMuch(request)),
        why,
        status,
      );
      return { requests: [], why: "", strained: false };
    }
    const answers = readAnswers(exchange.value, first, requests.length);
    if (answers.kind === "refused") {
      const why = this.#endpoint.redact(answers.reason);
      if (saysTemporary(answers.code, why))
        return { requests, why, strained: false, limited: true, refused: true };
      if (this.#batch.refuse(requests.length)) return "split";
    } else {
      this.#batch.grow();
      if (answers.list.some((answer) => answer?.kind === "result")) this.#answeredAt = this.#world.now();
    }
    return this.#settle(requests, answers.list);
  }

  #settle(requests: readonly Pending[], answers: readonly (Answer | undefined)[]): Remainder {
    const left: Pending[] = [];
    let why = "";
    requests.forEach((request, index) => {
      const problem = this.#settleOne(request, answers[index], requests.length);
      if (problem !== undefined) left.push(request);
      why = problem ?? why;
    });
    // Some nodes answer only the first request of a batch, or none.
    if (answers.every((answer) => answer === undefined)) this.#batch.refuse(requests.length);
    const limited = answers.every(
      (answer) => answer?.kind === "error" && saysTemporary(answer.code, answer.reason),
    );
    const refused = answers.every((answer) => answer?.kind === "error");
    return { requests: left, why, strained: false, limited, refused };
  }

  /** Settles a request, or returns the problem when it must be retried. */
  #settleOne(request: Pending, answer: Answer | undefined, together: number): string | undefined {
    if (!answer) return `no answer to ${request.method} in the batch`;
    if (answer.kind === "result") {
      request.resolve(answer.result);
      return undefined;
    }
    const refusal = { ...answer, reason: this.#endpoint.redact(answer.reason) };
    if (saysTooLarge(refusal.reason) && this.#batch.shrink(together)) return refusal.reason;
    const error = this.#verdict(request, refusal);
    if (!error) return `error ${refusal.code}: ${clip(refusal.reason)}`;
    request.reject(error);
    return undefined;
  }

  /** The error of a refusal for the caller; `undefined` when a retry may help. */
  #verdict({ method, tells, refusals }: Pending, refusal: Refusal): Error | undefined {
    const { name } = this.#endpoint;
    // Checked first, because the reason of a revert may contain any text.
    if (isRevert(refusal)) return new RpcError(method, name, refusal);
    // Only another node behind the address, or an error of the node, explains such an answer.
    if (namesNoBlock.has(method) && (saysBlockIsGone(refusal.reason) || saysPruned(refusal.reason)))
      return undefined;
    if (saysBlockIsGone(refusal.reason)) {
      return new ReorgError(`${method}: ${name} does not know the block: ${clip(refusal.reason)}`);
    }
    // A request that is too large stays too large after any wait, whatever else the answer says.
    const isTooWide = Number.isFinite(refusals) && saysRangeTooWide(refusal.reason);
    const isTooMuch = isTooWide || (tells(refusal) && saysListsTooLong(refusal.reason).length > 0);
    if (saysTemporary(refusal.code, refusal.reason) && !isTooMuch) return undefined;
    if (tells(refusal)) return new RpcError(method, name, refusal);
    // One node of a pool may keep less data than another.
    if (saysPruned(refusal.reason))
      return new MissingStateError(
        `${method}: ${name} does not keep the requested data: ${clip(refusal.reason)}`,
      );
    return saysPermanent(refusal) ? new RpcError(method, name, refusal) : undefined;
  }

  #dropStrained({ requests, why }: Remainder, strained: number, refused: number): readonly Pending[] {
    const isOpen = (request: Pending): boolean => strained < request.strain && refused < request.refusals;
    for (const request of requests) if (!isOpen(request)) request.reject(this.#strainError(request, why));
    return requests.filter(isOpen);
  }

  #strainError({ method }: Pending, why: string): StrainError {
    return new StrainError(`${method}: ${this.#endpoint.name} could not handle the request: ${why}`);
  }

  #refuseAll(requests: readonly Pending[], why: string, status: number): void {
    for (const { method, reject } of requests)
      reject(new StatusError(`${method}: ${this.#endpoint.name} answered with ${why}`, status));
  }

  #giveUp(requests: readonly Pending[], left: Remainder, attempts: number, spent: number): void {
    const tried = `${attempts} ${attempts === 1 ? "attempt" : "attempts"} in ${Math.round(spent / 1000)} s`;
    const asked = left.wait === undefined ? "" : ` (the node asks to wait ${Math.round(left.wait / 1000)} s)`;
    this.#rejectAll(
      requests,
      (method) =>
        `${method}: no usable answer from ${this.#endpoint.name} after ${tried}. Last problem: ${left.why}${asked}`,
    );
  }

  #rejectAll(requests: readonly Pending[], text: (method: string) => string): void {
    for (const request of requests) request.reject(new ChainError(text(request.method)));
  }
}

/** Whether a server that answers with this status may answer a request for less. */
function mayMeanTooMuch(status: number): boolean {
  return status >= 400 && !lockedOut.has(status);
}
