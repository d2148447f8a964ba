import { type LogList, RpcError, StatusError, saysListsTooLong, saysTooManyLogs } from "../rpc-errors.js";
import type { LogsRequest } from "./logs-request.js";

/** Successes before longer lists are tried again, if the node did not say that the lists were the problem. */
const confidence = 1_000;
const invalidCodes: ReadonlySet<number> = new Set([-32602, -32600]);
/** Statuses of servers that refuse a request for its size or its content. */
const refusingStatuses: ReadonlySet<number> = new Set([400, 403, 413, 414, 422]);

/** How long a list may be. It is halved when a node refuses it, unless the node says how long it may be. */
class ListLimit {
  #most = Number.MAX_SAFE_INTEGER;
  #isNamed = false;
  #successes = 0;

  get most(): number {
    return this.#most;
  }

  reset(): void {
    this.#most = Number.MAX_SAFE_INTEGER;
    this.#isNamed = false;
  }

  accept(length: number): void {
    if (this.#isNamed || length < this.#most || ++this.#successes < confidence) return;
    this.#successes = 0;
    this.#most *= 2;
  }

  /** @param reason the node's words about the list; empty if it does not mention it */
  refuse(length: number, reason: string): void {
    this.#successes = 0;
    this.#isNamed ||= reason !== "";
    const told = numbersIn(reason).filter((number) => number > 0 && number < length);
    this.#most = Math.min(this.#most, told.length > 0 ? Math.max(...told) : Math.floor(length / 2));
  }
}

/** How many addresses and topics a node accepts in one query of logs. */
export class ListLimits {
  readonly #limits: Readonly<Record<LogList, ListLimit>> = {
    addresses: new ListLimit(),
    topics: new ListLimit(),
  };

  /** Divides a query into several with lists that the node accepts. */
  split(query: LogsRequest): readonly LogsRequest[] {
    const { addresses, topics } = this.#limits;
    return splitLists(query, addresses.most, topics.most);
  }

  accept({ addresses, topics }: LogsRequest): void {
    this.#limits.addresses.accept(addresses.length);
    this.#limits.topics.accept(topics?.length ?? 0);
  }

  /**
   * The queries to try in place of a refused one.
   * @param isNarrowest whether the query is for a single block, so that no narrower range can be tried
   * @returns `undefined` if the refusal has nothing to do with the lists, or they cannot be shorter
   */
  refuse(query: LogsRequest, error: unknown, isNarrowest: boolean): readonly LogsRequest[] | undefined {
    const lengths = { addresses: query.addresses.length, topics: query.topics?.length ?? 0 };
    const longest = lengths.addresses >= lengths.topics ? "addresses" : "topics";
    const reason = error instanceof RpcError ? error.reason : "";
    const named = saysListsTooLong(reason);
    if (named.length === 0 && !(isNarrowest && mayMeanLists(error))) return undefined;
    const list = named.includes(longest) || named.length === 0 ? longest : named[0];
    const length = list === undefined ? 0 : lengths[list];
    if (list === undefined || length < 2) {
      // The shortest lists are refused too, so the node meant something else.
      if (named.length === 0) for (const limit of Object.values(this.#limits)) limit.reset();
      return undefined;
    }
    // Another block may have fewer logs, so this does not affect the next query.
    if (saysTooManyLogs(reason)) {
      const half = Math.ceil(length / 2);
      return list === "addresses" ? splitLists(query, half) : splitLists(query, undefined, half);
    }
    this.#limits[list].refuse(length, named.length > 0 ? reason : "");
    return this.split(query);
  }
}

/** A node may refuse a list that is too long without mentioning it. */
function mayMeanLists(error: unknown): boolean {
  if (error instanceof StatusError) return refusingStatuses.has(error.status);
  return error instanceof RpcError && (invalidCodes.has(error.code) || saysTooManyLogs(error.reason));
}

function splitLists(
  { addresses, topics }: LogsRequest,
  mostAddresses = addresses.length,
  mostTopics = topics?.length ?? 1,
): readonly LogsRequest[] {
  const parts = topics && topics.length > mostTopics ? partsOf(topics, mostTopics) : [topics];
  const owners = addresses.length > mostAddresses ? partsOf(addresses, mostAddresses) : [addresses];
  return parts.flatMap((some) => owners.map((part) => ({ addresses: part, topics: some })));
}

function partsOf(list: readonly string[], most: number): readonly (readonly string[])[] {
  const count = Math.ceil(list.length / most);
  return Array.from({ length: count }, (_, part) => list.slice(part * most, (part + 1) * most));
}

function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(",", "")));
}
