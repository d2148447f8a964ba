import type { HostedStorage } from "../../hosting/engine.js";
import { BlockUnread, readBlock } from "../../rpc/read-block.js";
import type { Sql } from "../../store/database/database.js";
import {
  checkFollowing,
  checkRewind,
  countReversal,
  type LastBlock,
  RewindRefused,
  rememberedBlock,
  type TableReversal,
} from "../../store/entities/rewind.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import { pipelinesReading } from "../pipelines/pipeline-rows.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import {
  type EntryName,
  engineOf,
  nameIn,
  requireEngine,
  requireVersion,
} from "../subgraphs/find-subgraph.js";
import {
  composedVersions,
  type SubgraphVersion,
  tagsOf,
  type VersionName,
  versionsOf,
} from "../subgraphs/versions.js";
import { isTooLate, timedRead } from "../timed-read.js";
import { listWebhooksOf } from "../webhooks/webhooks.js";

type Own = Pick<Platform, "database" | "hosting" | "nodes" | "world">;

/** The block to go back to. */
export interface AskedBlock {
  readonly number: number;
  /** Its hash, if the caller knows it. */
  readonly hash?: string | undefined;
}

/** What going back to a block does. */
export interface RewindPlan {
  readonly entry: SubgraphVersion;
  /** Its last block. */
  readonly from: number;
  readonly to: LastBlock;
  /** Absent if counting takes too long. */
  readonly tables?: readonly TableReversal[] | undefined;
  /** What happens to entities, queries, webhooks and pipelines: sentences for people. */
  readonly effects: readonly string[];
}

/**
 * Says what it would do to take a deployment back to a block.
 * @param gone aborted when the client leaves
 * @throws Problem `forbidden`, `subgraph-not-found`, `unprocessable` if it is not possible, `unavailable` if no node
 *   answers; DatabaseError
 */
export async function planRewind(
  platform: Own,
  caller: Caller,
  named: EntryName,
  asked: AskedBlock,
  gone: AbortSignal,
): Promise<RewindPlan> {
  requireRole(caller, "Viewer");
  const { entry, storage, from, to } = await judged(platform, caller, named, asked);
  const tables = await counted(storage, to.number, gone);
  const composed = await composedOf(platform, entry, to.number);
  return {
    entry,
    from,
    to,
    tables,
    effects: await effectsOf(platform, { entry, from, to, tables }, composed),
  };
}

/**
 * Takes a deployment back to a block, as a reorganisation of the chain does. It indexes the blocks after it again.
 * @throws Problem as `planRewind`; DatabaseError
 */
export async function rewindSubgraph(
  platform: Own,
  caller: Caller,
  named: EntryName,
  asked: AskedBlock,
): Promise<Omit<RewindPlan, "effects">> {
  requireRole(caller, "Editor");
  const { entry, to } = await judged(platform, caller, named, asked);
  const { deployment, name, version } = entry;
  const following = (await composedOf(platform, entry, to.number)).filter(({ stays }) => stays === undefined);
  const composed = [...new Set(following.map((one) => one.entry.deployment))].sort();
  const note = (sql: Sql): Promise<void> =>
    noteChange(sql, caller, "subgraph.rewind", `${name}/${version} (block ${to.number})`);
  const engine = requireEngine(platform.hosting, entry);
  try {
    const from = await asProblem(async () => engine.rewind?.(deployment, to, composed, note));
    return { entry, from: from ?? to.number, to };
  } finally {
    // It was stopped, and has to start again even if it has not moved.
    await platform.hosting.reconcile([deployment, ...composed]);
  }
}

/** A composed version that has blocks after the one to which its source goes back. */
interface ComposedVersion {
  readonly entry: SubgraphVersion;
  /** Why it does not go back too: sentences; missing if it does. */
  readonly stays?: string;
}

/** The versions of the project that have a deployment as a source, and have later blocks than the given one. */
async function composedOf(
  { database, hosting }: Own,
  { project, deployment }: SubgraphVersion,
  block: number,
): Promise<readonly ComposedVersion[]> {
  const found: ComposedVersion[] = [];
  for (const entry of await composedVersions(database, project, deployment)) {
    const storage = await engineOf(hosting, entry.engine)?.storage(entry.deployment);
    if (!storage || (storage.deployment.head?.number ?? -1) <= block) continue;
    if (await isOfOthers(database, entry)) {
      found.push({ entry, stays: notItsOwn });
      continue;
    }
    try {
      await checkFollowing(database, storage.deployment, { number: block });
      found.push({ entry });
    } catch (error) {
      if (!(error instanceof RewindRefused)) throw error;
      found.push({ entry, stays: error.message });
    }
  }
  return found;
}

/** Equal content is indexed once for all projects. The sentences do not say whether another one has it. */
const notItsOwn =
  "The server indexes equal content once, so this deployment may not be yours alone, and cannot be taken back. To have one of your own, deploy the subgraph with a description of its own, or with another start block.";

async function isOfOthers(sql: Sql, { project, deployment }: SubgraphVersion): Promise<boolean> {
  return (await versionsOf(sql, deployment)).some((version) => version.project !== project);
}

interface Judged {
  readonly entry: SubgraphVersion;
  readonly storage: HostedStorage;
  readonly from: number;
  readonly to: LastBlock;
}

async function judged(platform: Own, caller: Caller, named: EntryName, asked: AskedBlock): Promise<Judged> {
  const { database, hosting } = platform;
  const entry = await requireVersion(database, nameIn(caller, named));
  const engine = requireEngine(hosting, entry);
  if (!engine.rewind)
    throw new Problem(
      "unprocessable",
      "A graph-node indexes this subgraph. To take it back, run graphman rewind there.",
    );
  if (await isOfOthers(database, entry)) throw new Problem("unprocessable", notItsOwn);
  const storage = await engine.storage(entry.deployment);
  return asProblem(async () => {
    if (!storage)
      throw new RewindRefused("It has not indexed a block yet, so there is nothing to go back from.");
    const from = await checkRewind(database, storage.deployment, asked);
    const to =
      (await rememberedBlock(database, storage.deployment, asked.number)) ??
      (await blockOfChain(platform, entry, asked));
    return { entry, storage, from, to };
  });
}

/** @throws RewindRefused, Problem `unavailable` */
async function blockOfChain(
  { nodes, world }: Own,
  { network, project, deployment }: SubgraphVersion,
  { number, hash }: AskedBlock,
): Promise<LastBlock> {
  const gateway = nodes.of(network);
  if (!gateway)
    throw new Problem("unavailable", `This server has no node of ${network}, to ask for the block.`);
  const asker = { kind: "indexing", project, name: deployment } as const;
  const found = await readBlock(gateway, asker, world, number).catch((error: unknown) => {
    if (!(error instanceof BlockUnread)) throw error;
    throw new Problem("unavailable", `No node of ${network} knows the block now: ${error.message}.`);
  });
  if (!found) throw new RewindRefused(`The chain has no block ${number}. Choose an earlier one.`);
  if (hash === undefined || hash === found.hash) return found;
  throw new RewindRefused(`Block ${number} of the chain is ${found.hash}, not ${hash}.`);
}

async function asProblem<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RewindRefused ? new Problem("unprocessable", error.message) : error;
  }
}

async function counted(
  { database, deployment }: HostedStorage,
  block: number,
  gone: AbortSignal,
): Promise<readonly TableReversal[] | undefined> {
  try {
    return await timedRead(database, (sql) => countReversal(sql, deployment, block), gone);
  } catch (error) {
    if (isTooLate(error)) return undefined;
    throw error;
  }
}

async function effectsOf(
  { database }: Own,
  { entry, from, to, tables }: Omit<RewindPlan, "effects">,
  composed: readonly ComposedVersion[],
): Promise<readonly string[]> {
  const shown = await namesOf(database, entry);
  const labels = shown.map(({ name, version }) => `${name}/${version}`);
  const rest = entry.isPaused ? " once it is started" : "";
  const own = `${entry.name}/${entry.version}`;
  const webhooks = (await Promise.all(shown.map((one) => listWebhooksOf(database, one)))).flat();
  const pipelines = (await Promise.all(shown.map((one) => pipelinesReading(database, one)))).flat();
  const again = "the changes of the blocks that are indexed again";
  return [
    `${own} goes back from block ${from} to block ${to.number}, and indexes the blocks after it again${rest}.`,
    ...entityEffects(tables),
    `Queries to ${labels.join(", ")} are answered from block ${to.number} until it has caught up.`,
    ...composed.map(({ entry: { name, version }, stays }) =>
      stays === undefined
        ? `${name}/${version}, which has it as a source, goes back to block ${to.number} too, with its webhooks and pipelines, and handles the blocks after it again.`
        : `${name}/${version}, which has it as a source, keeps what it has from later blocks, and waits until ${own} has caught up. ${stays}`,
    ),
    ...webhooks.map(({ name, entity }) => {
      const changes = tables?.find(({ table }) => table === entity)?.changes;
      const undoing = changes === undefined ? "events" : numbered(changes, "event");
      return `The webhook ${name} gets ${undoing} that undo changes of ${entity}, then ${again}. All have new ids.`;
    }),
    ...[...new Set(pipelines)].map(
      (name) =>
        `The pipeline ${name} deletes from its sinks what came from later blocks, and adds ${again}. A sink that takes only final blocks keeps its rows: it stops if indexing gives others.`,
    ),
  ];
}

function entityEffects(tables: readonly TableReversal[] | undefined): readonly string[] {
  if (!tables) return ["How many entities change is not known: there are too many to count."];
  const changed = tables.filter(({ changes }) => changes > 0);
  if (changed.length === 0) return ["No entity was changed after that block."];
  return changed.map(({ table, removed, restored }) => {
    const deleted = removed > 0 && `${numbered(removed, "version")} ${removed === 1 ? "is" : "are"} deleted`;
    const current =
      restored > 0 && `${numbered(restored, "earlier one")} ${restored === 1 ? "is" : "are"} current again`;
    return `Of ${table}, ${[deleted, current].filter((part) => part !== false).join(", and ")}.`;
  });
}

function numbered(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** The versions and tags that show the deployment. */
async function namesOf(sql: Sql, { deployment }: SubgraphVersion): Promise<readonly VersionName[]> {
  const names: VersionName[] = [];
  for (const { project, name, version } of await versionsOf(sql, deployment)) {
    const tags = await tagsOf(sql, { project, name, version });
    names.push(...[version, ...tags].map((label) => ({ project, name, version: label })));
  }
  return names;
}
