import pg from "pg";
import { reportFailure } from "../../../base/failures.js";
import { guarded } from "../../../base/turns/guarded.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import type { World } from "../../../base/world.js";
import { quoteName } from "../quote.js";
import { databaseErrorOf } from "./postgres-errors.js";

type Hear = (payload: string) => void;

/** Milliseconds between attempts to reconnect. */
const retry = 1_000;

/** A connection that listens to channels, and reconnects if it is lost. */
export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #world: Pick<World, "sleep">;
  readonly #channels = new Map<string, Set<Hear>>();
  /** Serialises statements: a connection runs one at a time. */
  readonly #mutex = new Semaphore(1);
  #client: Promise<pg.Client> | undefined;
  /** The current connection, until it is lost. */
  #connected: pg.Client | undefined;
  #isClosed = false;

  constructor(config: pg.ClientConfig, world: Pick<World, "sleep">) {
    this.#config = config;
    this.#world = world;
  }

  async listen(channel: string, hear: Hear): Promise<() => Promise<void>> {
    const known = this.#channels.get(channel);
    const all = known ?? new Set<Hear>();
    all.add(hear);
    this.#channels.set(channel, all);
    try {
      const client = await this.#begun();
      if (!known) await this.#mutex.run(() => client.query(`listen ${quoteName(channel)}`));
    } catch (error) {
      all.delete(hear);
      // The next listener connects again.
      if (all.size === 0) this.#channels.delete(channel);
      throw databaseErrorOf(error);
    }
    return () => this.#forget(channel, all, hear);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  /** The connection. If the first attempt fails, the next listener tries again. */
  #begun(): Promise<pg.Client> {
    if (!this.#client) {
      const first = this.#connect();
      this.#client = first;
      first.catch(() => {
        if (this.#client === first) this.#client = undefined;
      });
    }
    return this.#client;
  }

  async #forget(channel: string, all: Set<Hear>, hear: Hear): Promise<void> {
    all.delete(hear);
    if (all.size > 0 || this.#channels.get(channel) !== all) return;
    this.#channels.delete(channel);
    // A lost connection receives nothing, and the next one listens only to channels that still have listeners.
    const client = this.#connected;
    try {
      await this.#mutex.run(async () => client?.query(`unlisten ${quoteName(channel)}`));
    } catch (error) {
      if (this.#connected === client) throw databaseErrorOf(error);
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on("notification", ({ channel, payload = "" }) => {
      for (const hear of this.#channels.get(channel) ?? []) guarded(hear, reportFailure)(payload);
    });
    // Every error is followed by the end of the connection.
    client.on("error", () => undefined);
    await client.connect();
    for (const channel of this.#channels.keys()) await client.query(`listen ${quoteName(channel)}`);
    const lose = (): void => {
      this.#connected = undefined;
      this.#reconnect();
    };
    client.once("end", guarded(lose, reportFailure));
    this.#connected = client;
    return client;
  }

  /** Messages sent in the meantime are lost, so an empty string tells every listener to check. */
  #reconnect(): void {
    if (this.#isClosed) return;
    this.#client = this.#connectAgain();
    this.#client.catch(() => undefined);
  }

  async #connectAgain(): Promise<pg.Client> {
    while (!this.#isClosed) {
      await this.#world.sleep(retry);
      try {
        const client = await this.#connect();
        for (const hear of [...this.#channels.values()].flatMap((all) => [...all]))
          guarded(hear, reportFailure)("");
        return client;
      } catch (error) {
        if (this.#isClosed) throw error;
      }
    }
    throw new Error("the database is closed");
  }
}
