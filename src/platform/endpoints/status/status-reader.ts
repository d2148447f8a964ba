import { type Deployment, findDeployment } from "../../catalog/deployments.js";
import {
  findPublicName,
  listPublicDeployments,
  type PublicDeployment,
  publicVersionsOf,
} from "../../catalog/endpoints.js";
import { Turns } from "../../database/turns.js";
import type { HostedStatus } from "../../hosting/engine.js";
import type { Platform } from "../../platform.js";
import { countEntities } from "../../tables/table-facts.js";
import { splitName } from "../names.js";

/** What is known of a deployment. */
export interface KnownStatus extends PublicDeployment {
  readonly status: HostedStatus;
}

/** Reads how public deployments do, for one request: what it asks for twice is read once. */
export class StatusReader {
  readonly #platform: Platform;
  #all: Promise<ReadonlyMap<string, KnownStatus>> | undefined;
  readonly #counts = new Map<string, Promise<string>>();
  readonly #turns = new Turns();
  readonly #catalog = new Map<string, Promise<Deployment | undefined>>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** All that are public, oldest first, by their ids. */
  all(): Promise<ReadonlyMap<string, KnownStatus>> {
    this.#all ??= this.#read();
    return this.#all;
  }

  async one(deployment: string | undefined): Promise<KnownStatus | undefined> {
    return deployment === undefined ? undefined : (await this.all()).get(deployment);
  }

  /** What is asked at the address of a name. */
  async current(path: string): Promise<KnownStatus | undefined> {
    const split = splitName(path);
    const found = split && (await findPublicName(this.#platform.database, split.name, split.version));
    return this.one(found?.deployment);
  }

  /** What a name has besides, newest first. A version by itself has nothing. */
  async versions(path: string): Promise<readonly KnownStatus[]> {
    const split = splitName(path);
    if (!split) return [];
    if (split.version !== undefined) {
      const current = await this.current(path);
      return current ? [current] : [];
    }
    const ids = await publicVersionsOf(this.#platform.database, split.name);
    const all = await this.all();
    return ids.flatMap((id) => all.get(id) ?? []);
  }

  /** What the catalog of this server knows; nothing of what is indexed elsewhere. */
  catalog(deployment: string): Promise<Deployment | undefined> {
    const known = this.#catalog.get(deployment) ?? findDeployment(this.#platform.database, deployment);
    this.#catalog.set(deployment, known);
    return known;
  }

  /** Counts one after the other: it takes long where there is much. @throws Error where entities cannot be read */
  countEntities(known: KnownStatus): Promise<string> {
    const { deployment } = known;
    const counted = this.#counts.get(deployment) ?? this.#turns.take(() => this.#count(known));
    this.#counts.set(deployment, counted);
    return counted;
  }

  async #count({ engine, deployment }: KnownStatus): Promise<string> {
    const storage = await this.#platform.hosting.engine(engine).storage(deployment);
    if (!storage) throw new Error("entityCount is not known of this subgraph");
    return String(await countEntities(storage.database, storage.layout));
  }

  async #read(): Promise<ReadonlyMap<string, KnownStatus>> {
    const { database, hosting } = this.#platform;
    const found = await listPublicDeployments(database);
    const statuses = await Promise.all(
      hosting.engines.map((engine) => {
        const own = found.filter((one) => one.engine === engine.name).map(({ deployment }) => deployment);
        return own.length === 0 ? undefined : engine.status(own);
      }),
    );
    return new Map(
      found.flatMap((one) => {
        const status = statuses.map((known) => known?.get(one.deployment)).find((known) => known);
        return status ? [[one.deployment, { ...one, status }] as const] : [];
      }),
    );
  }
}
