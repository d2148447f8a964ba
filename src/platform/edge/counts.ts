import type { Database } from "../../store/database/database.js";
import { countEdgeRequests, type EdgeName } from "./edge-endpoints.js";

interface Counted {
  readonly endpoint: EdgeName;
  readonly time: number;
  requests: number;
  errors: number;
}

/** Counts requests in memory and writes the counts to the database from time to time. */
export class EdgeCounts {
  readonly #database: Database;
  readonly #now: () => number;
  #waiting = new Map<string, Counted>();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  add(endpoint: EdgeName, requests: number, errors: number): void {
    if (requests === 0) return;
    const time = Math.floor(this.#now() / 60_000) * 60_000;
    const key = JSON.stringify([endpoint.project, endpoint.name, time]);
    const counted = this.#waiting.get(key) ?? { endpoint, time, requests: 0, errors: 0 };
    counted.requests += requests;
    counted.errors += errors;
    this.#waiting.set(key, counted);
  }

  /** Writes the counts. Counts that cannot be written are kept for the next time. @throws DatabaseError */
  async write(): Promise<void> {
    const counted = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (const [index, { endpoint, ...count }] of counted.entries()) {
      try {
        await countEdgeRequests(this.#database, endpoint, count);
      } catch (error) {
        for (const left of counted.slice(index)) this.#return(left);
        throw error;
      }
    }
  }

  #return({ endpoint, time, requests, errors }: Counted): void {
    const key = JSON.stringify([endpoint.project, endpoint.name, time]);
    const counted = this.#waiting.get(key) ?? { endpoint, time, requests: 0, errors: 0 };
    counted.requests += requests;
    counted.errors += errors;
    this.#waiting.set(key, counted);
  }
}
