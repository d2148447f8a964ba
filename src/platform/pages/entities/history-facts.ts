import { LRUCache } from "lru-cache";
import type { HostedStorage } from "../../../hosting/engine.js";
import type { Sql } from "../../../store/database/database.js";
import { readBlockTimes } from "../../../store/deployments/block-times.js";
import {
  type HandlerName,
  isCounted,
  readStorers,
  type Storers,
} from "../../../store/deployments/handler-counts.js";
import type { EntityVersion } from "../../../store/tables/entity-history.js";
import type { EntityTable } from "../../../store/tables/layout.js";
import { BundleError } from "../../../subgraph/bundle-error.js";
import { type CarriedFiles, mapIn, placesIn } from "../../../subgraph/carried-files.js";
import { isMap, type Manifest } from "../../../subgraph/manifest/manifest.js";
import { type Writer, type Writers, writersAt, writersOf } from "../../../subgraph/writers.js";
import type { Platform } from "../../platform.js";
import { storedBuild } from "../../subgraphs/stored-build.js";
import { readCarried, type SubgraphVersion } from "../../subgraphs/versions.js";
import { baseFields } from "./field-roles.js";

/** Facts about a version. The tables only hold its block, so the rest comes from elsewhere. */
export interface VersionFacts {
  /** Seconds since 1970; missing if neither the version nor the last blocks say so. */
  readonly time?: number;
  /** The hash of the transaction, if the version says so. */
  readonly transaction?: string;
  readonly writer: VersionWriter;
}

/** The writer of a version, if known. */
export type VersionWriter =
  /**
   * The only handlers that may have written it. `isCertain` is false if neither the build nor the counts tell which
   * handler stores which type.
   */
  | { readonly kind: "handlers"; readonly handlers: readonly Writer[]; readonly isCertain: boolean }
  /** The store itself, which computes aggregations. */
  | { readonly kind: "store" }
  /** Another deployment, onto which this one was grafted. */
  | { readonly kind: "graft"; readonly base: string }
  | { readonly kind: "unknown" };

/** A build's information about the writers of a type. */
export interface TypeWriters {
  readonly writers: Writers | undefined;
  /** The last block that was copied from another deployment. */
  readonly graft?: { readonly base: string; readonly block: number };
}

/** Reads from a version's build which handlers write a type. It throws DatabaseError. */
export type ReadWriters = (entry: SubgraphVersion, type: string) => Promise<TypeWriters>;

/** The most builds whose manifest is kept in memory. The build itself, with its WASM, is not kept. */
const mostKept = 100;

/** Reads each build once. */
export function createReadWriters({ database }: Pick<Platform, "database">): ReadWriters {
  const manifests = new LRUCache<string, Promise<Manifest | undefined>>({ max: mostKept });
  const manifestOf = (deployment: string): Promise<Manifest | undefined> => {
    const known = manifests.get(deployment);
    if (known) return known;
    const read = readManifest(database, deployment);
    manifests.set(deployment, read);
    read.catch(() => manifests.delete(deployment));
    return read;
  };
  return async (entry, type) => {
    const manifest = await manifestOf(entry.deployment);
    if (!manifest) return { writers: undefined };
    return typeWriters(manifest, await readCarried(database, entry), type);
  };
}

/** What a build says about the writers of a type. */
export function typeWriters(manifest: Manifest, carried: CarriedFiles, type: string): TypeWriters {
  const { base, block } = isMap(manifest.graft) ? manifest.graft : {};
  return {
    writers: writersOf(manifest, type, mapIn(carried), placesIn(carried)),
    ...(typeof base === "string" && typeof block === "number" && { graft: { base, block } }),
  };
}

/** @returns undefined when the build no longer exists or cannot be read */
async function readManifest(sql: Sql, deployment: string): Promise<Manifest | undefined> {
  try {
    return (await storedBuild(sql, deployment))?.manifest;
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}

/**
 * The known times of blocks.
 * @throws DatabaseError
 */
export async function knownTimes(
  sql: Sql,
  { deployment, isForeign }: Pick<HostedStorage, "deployment" | "isForeign">,
  versions: readonly EntityVersion[],
): Promise<ReadonlyMap<number, number>> {
  // Another program keeps no times, and its deployments have other numbers.
  if (isForeign || versions.length === 0) return new Map();
  return readBlockTimes(
    sql,
    deployment.id,
    versions.map(({ begins }) => begins),
  );
}

/**
 * The handlers that have stored entities of a type, as far as they were counted. A build only says what handlers may
 * store, and for a user's own function that may be any type.
 * @throws DatabaseError
 */
export async function knownStorers(
  sql: Sql,
  { deployment, isForeign }: Pick<HostedStorage, "deployment" | "isForeign">,
  { type }: EntityTable,
  { writers }: TypeWriters,
  versions: readonly EntityVersion[],
): Promise<Storers | undefined> {
  // Another program does not count handlers.
  if (isForeign || !writers) return undefined;
  return readStorers(
    sql,
    deployment.id,
    type,
    versions.map(({ begins }) => begins),
  );
}

/**
 * The facts about a version.
 * @param storers the counts for its type
 */
export function factsOf(
  version: EntityVersion,
  table: EntityTable,
  times: ReadonlyMap<number, number>,
  type: TypeWriters,
  storers?: Storers,
): VersionFacts {
  const { begins } = version;
  const own = (field: string): string | undefined => fieldText(version, table, field);
  // These fields keep the values of the block in which the entity was created.
  const isOfBlock = (own(baseFields.block) ?? own("blockNumber")) === String(begins);
  const time =
    times.get(begins) ?? (isOfBlock ? secondsIn(own(baseFields.time) ?? own("blockTimestamp")) : undefined);
  const transaction = isOfBlock ? (own(baseFields.transaction) ?? own("transactionHash")) : undefined;
  const contract = isOfBlock ? own(baseFields.contract)?.toLowerCase() : undefined;
  return {
    ...(time !== undefined && { time }),
    ...(transaction !== undefined && /^0x[\da-f]{64}$/i.test(transaction) && { transaction }),
    writer: writerOf(begins, contract, table, type, storers),
  };
}

function writerOf(
  block: number,
  contract: string | undefined,
  { interval }: EntityTable,
  { writers, graft }: TypeWriters,
  storers: Storers | undefined,
): VersionWriter {
  if (interval !== undefined) return { kind: "store" };
  if (graft && block <= graft.block) return { kind: "graft", base: graft.base };
  const handlers = writers ? writersAt(writers.all, block, contract) : [];
  if (!writers || handlers.length === 0) return { kind: "unknown" };
  const stored = storers && storersAt(storers, block);
  const did = handlers.filter(
    (one) =>
      !stored ||
      !isCounted(one) ||
      stored.some(({ source, handler }) => source === one.source && handler === one.handler),
  );
  if (did.length === 0) return { kind: "handlers", handlers, isCertain: writers.isCertain };
  return { kind: "handlers", handlers: did, isCertain: writers.isCertain || stored !== undefined };
}

/**
 * The handlers that stored a type in a block; if that is unknown, the handlers that ever did; `undefined` if
 * there are none.
 */
function storersAt({ after = -1, all, blocks }: Storers, block: number): readonly HandlerName[] | undefined {
  return blocks.get(block) ?? (block > after ? all : undefined);
}

function fieldText({ values }: EntityVersion, { columns }: EntityTable, field: string): string | undefined {
  const column = columns.find((one) => one.field === field && !one.list);
  const text = column && values[column.name];
  return column && text !== undefined && text !== null ? column.codec.shown(text) : undefined;
}

function secondsIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) : undefined;
}
