import { Problem } from "./problem.js";

/** A maximum number of requests in a number of seconds. */
export interface RequestRate {
  readonly requests: number;
  readonly seconds: number;
}

/** A period that begins with a client's first request, and the number of requests in it. */
interface Span {
  readonly begin: number;
  count: number;
}

/** The limiter remembers this many clients; beyond that, it forgets the oldest. */
const mostClients = 50_000;

/** Limits the requests of clients. */
export class RateLimiter {
  readonly #rate: RequestRate;
  readonly #now: () => number;
  /** Ordered by their beginning. */
  readonly #spans = new Map<string, Span>();

  /** @param now milliseconds */
  constructor(rate: RequestRate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Counts a request. @param address of the client @throws Problem `rate-limited` beyond the limit */
  count(address: string): void {
    this.take(clientOf(address));
  }

  /** Takes back a request that is exempt from the limit. @param address the address of the client */
  forgive(address: string): void {
    this.giveBack(clientOf(address));
  }

  /** Counts a request by any name, not only by an address. @throws Problem `rate-limited` beyond the limit */
  take(client: string): void {
    const { requests, seconds } = this.#rate;
    const now = this.#now();
    const known = this.#spans.get(client);
    if (!known || now >= known.begin + seconds * 1000) {
      this.#spans.delete(client);
      this.#forget(now);
      this.#spans.set(client, { begin: now, count: 1 });
      return;
    }
    if (known.count >= requests) {
      throw new Problem(
        "rate-limited",
        `Too many requests: the limit is ${requests} in ${seconds} seconds. Wait, then try again.`,
        {
          retryAfter: Math.ceil((known.begin + seconds * 1000 - now) / 1000),
        },
      );
    }
    known.count += 1;
  }

  /** Takes back a count that is exempt from the limit. */
  giveBack(client: string): void {
    const known = this.#spans.get(client);
    if (known && known.count > 0) known.count -= 1;
  }

  #forget(now: number): void {
    for (const [client, { begin }] of this.#spans) {
      const isOver = now >= begin + this.#rate.seconds * 1000;
      if (!isOver && this.#spans.size < mostClients) return;
      this.#spans.delete(client);
    }
  }
}

/** The client behind an address: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
