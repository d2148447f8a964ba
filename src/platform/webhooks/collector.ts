import { randomUUID } from "node:crypto";
import type { HostedStorage } from "../../hosting/engine.js";
import type { Platform } from "../platform.js";
import { beginWebhook } from "./begin.js";
import { Bell } from "./bell.js";
import { collectChanges, collectStart, sourceOf } from "./collect.js";
import { type FedWebhook, fedWebhooks, type Hold, hold } from "./feeding.js";
import type { SenderLimits } from "./sender-limits.js";

/** Receives failures that are retried. */
export type Report = (what: string, error: unknown) => void;

/** Creates the events of all webhooks from the changes of their entities, for as long as it runs. */
export class Collector {
  readonly #platform: Pick<Platform, "database" | "hosting" | "world">;
  readonly #limits: SenderLimits;
  readonly #report: Report;
  readonly #held: Hold;
  readonly #starts = new Map<string, Promise<void>>();
  readonly bell: Bell;
  #isStopped = false;

  constructor(
    platform: Pick<Platform, "database" | "hosting" | "world">,
    limits: SenderLimits,
    report: Report,
  ) {
    this.#platform = platform;
    this.#limits = limits;
    this.#report = report;
    this.#held = { holder: randomUUID(), time: limits.hold };
    this.bell = new Bell(platform.world);
  }

  /** Runs until `stop` is called. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      let hasMore = false;
      try {
        hasMore = await this.#round();
      } catch (error) {
        this.#report("webhooks could not be read", error);
      }
      if (!hasMore) await this.bell.wait(this.#limits.poll);
    }
    await Promise.all(this.#starts.values());
  }

  stop(): void {
    this.#isStopped = true;
    this.bell.ring();
  }

  /** @returns whether more work may be waiting */
  async #round(): Promise<boolean> {
    const { database } = this.#platform;
    const storages = new Map<string, HostedStorage | undefined>();
    let hasMore = false;
    for (const webhook of await fedWebhooks(database)) {
      if (this.#isStopped) return false;
      try {
        if (!storages.has(webhook.build)) storages.set(webhook.build, await this.#storageOf(webhook));
        const storage = storages.get(webhook.build);
        if (storage) hasMore = (await this.#collect(webhook, storage)) || hasMore;
      } catch (error) {
        // The other webhooks continue.
        this.#report(
          `the changes of ${webhook.entity} for the webhook ${webhook.id} could not be read`,
          error,
        );
      }
    }
    return hasMore;
  }

  async #storageOf({ engine, build }: FedWebhook): Promise<HostedStorage | undefined> {
    const found = this.#platform.hosting.engine(engine);
    // Such an engine has no feed, so older webhooks of its subgraphs have nothing to send.
    return found.feedless === undefined ? found.storage(build) : undefined;
  }

  async #collect(webhook: FedWebhook, storage: HostedStorage): Promise<boolean> {
    const { database } = this.#platform;
    const { id, cursor, owesStart } = webhook;
    if (cursor === undefined) {
      if (!(await hold(database, id, this.#held))) return false;
      await beginWebhook(database, storage, webhook, this.#held.holder);
      return true;
    }
    if (owesStart) {
      await this.#start(webhook, storage);
      return false;
    }
    return (
      (await collectChanges(sourceOf(database, storage, webhook, this.#limits), cursor)).state === "more"
    );
  }

  /** Runs in parallel with other webhooks, because it may have to wait for the receiver. */
  async #start(webhook: FedWebhook, storage: HostedStorage): Promise<void> {
    const { database } = this.#platform;
    const { id } = webhook;
    if (this.#starts.has(id) || !(await hold(database, id, this.#held))) return;
    const source = sourceOf(database, storage, webhook, this.#limits);
    const work = collectStart(source, this.#held, () => this.#wait())
      .catch((error: unknown) =>
        this.#report(`the existing entities for the webhook ${id} could not be read`, error),
      )
      .finally(() => {
        this.#starts.delete(id);
        this.bell.ring();
      });
    this.#starts.set(id, work);
  }

  async #wait(): Promise<boolean> {
    await new Bell(this.#platform.world).wait(this.#limits.poll);
    return !this.#isStopped;
  }
}
