import type { World } from "../../../../src/base/world.js";
import type { HostedStatus, NetworkReading } from "../../../../src/hosting/engine.js";
import type { Figure } from "../../../../src/platform/figures/figure.js";
import { addMarks, addMinutes, rollUp } from "../../../../src/platform/figures/figure-rows.js";
import { addVersion, setTag } from "../../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../../src/store/database/database.js";
import { zipBuild } from "../../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../../subgraph/sample-build.js";
import { realWorld } from "../../../support/worlds.js";
import { startPages } from "../harness.js";

/** The time at which the pictures are taken. */
export const pictureTime = Date.UTC(2026, 10, 27, 12);
const now = pictureTime;
const minute = 60_000;

const mainnet = { chainHeadBlock: 23_884_912, headTimestamp: now / 1000 - 6 };
const base = { chainHeadBlock: 38_714_205, headTimestamp: now / 1000 - 2 };

function healthy(chain: typeof mainnet, handlersPerSecond: number): HostedStatus {
  return {
    health: "healthy",
    isSynced: true,
    nonFatalErrors: [],
    startBlock: 12_369_621,
    ...chain,
    headBlock: chain.chainHeadBlock,
    handlersPerSecond,
  };
}

/** A version that the pictures show. */
interface Pictured {
  readonly name: string;
  readonly version: string;
  readonly network: string;
  readonly status: HostedStatus;
  readonly tag?: string;
  /** Days since it was deployed. */
  readonly age: number;
  /** Blocks behind the head of the chain, so many minutes ago. */
  readonly lag: (ago: number) => number;
}

/** Named like the shipped examples. */
const pictured: readonly Pictured[] = [
  {
    name: "market",
    version: "0.4.0",
    network: "base",
    age: 3,
    status: {
      ...healthy(base, 0),
      health: "failed",
      isSynced: false,
      headBlock: 38_713_842,
      fatalError: {
        message: "handleTrade: division by zero",
        block: 38_713_843,
        failedAt: now - 12 * minute,
      },
    },
    lag: (ago) => (ago > 12 ? 0 : 30 * (12 - ago)),
  },
  {
    name: "uniswap-v3",
    version: "1.3.0",
    network: "mainnet",
    age: 0.02,
    status: {
      ...healthy(mainnet, 4_810),
      isSynced: false,
      headBlock: 20_207_118,
      headTimestamp: 1_719_930_000,
    },
    lag: (ago) => 3_677_794 + ago * 128_000,
  },
  {
    name: "uniswap-v3",
    version: "1.2.0",
    network: "mainnet",
    tag: "prod",
    age: 41,
    status: healthy(mainnet, 38),
    lag: (ago) => (ago > 33 && ago < 38 ? 3 * (ago - 33) : 0),
  },
  {
    name: "erc20-multichain",
    version: "2.1.0",
    network: "base",
    tag: "prod",
    age: 17,
    status: healthy(base, 112),
    lag: () => 0,
  },
  {
    name: "nouns",
    version: "1.0.0",
    network: "mainnet",
    tag: "prod",
    age: 90,
    status: healthy(mainnet, 1),
    lag: () => 0,
  },
  {
    name: "safe",
    version: "3.0.2",
    network: "base",
    age: 8,
    status: healthy(base, 21),
    lag: (ago) => (ago > 50 ? ago - 50 : 0),
  },
];

const readings: readonly NetworkReading[] = [
  { network: "base", isUp: true, head: base.chainHeadBlock, headAt: now - 2_000 },
  { network: "mainnet", isUp: true, head: mainnet.chainHeadBlock, headAt: now - 6_000 },
];

/** The version that has a day of figures. */
const busiest = pictured[2] as Pictured;

const idOf = ({ name, version }: Pictured): string =>
  `Qm${Buffer.from(`${name} of version ${version}, as pictured`).toString("base64url").replaceAll(/[-_]/g, "")}`.slice(
    0,
    46,
  );

/** The version whose pages have the most to show. */
export const filledVersion = { ...busiest, deployment: idOf(busiest) };

/** Pages of the project `gl_foreign` with subgraphs, times and figures that are always the same. */
export async function startPictured(
  database: Database,
  options: Parameters<typeof startPages>[1] = {},
): Promise<Awaited<ReturnType<typeof startPages>>> {
  const world: World = { ...realWorld, now: () => now };
  const recent = new Map(pictured.map((one) => [idOf(one), lastHourOf(one)]));
  const pages = await startPages(database, {
    ...options,
    world,
    publicAddress: "http://localhost:8000",
    figures: { recent: (deployment) => recent.get(deployment) ?? [] },
    readings,
  });
  await database.query(SQL`update graphloom.projects set name = 'Example' where id = 'project_2'`);
  const bundle = zipBuild(sampleBuild());
  for (const one of pictured) {
    const { name, version, network, tag, status, age } = one;
    const deployment = idOf(one);
    pages.statuses.set(deployment, status);
    const own = { project: "project_2", name };
    await database.transaction(async (sql) => {
      const build = { deployment, bundle, network, engine: "embedded", description: null };
      await addVersion(sql, { ...own, version, ...build });
      if (tag !== undefined) await setTag(sql, { ...own, version: tag }, version);
      await sql.query(
        SQL`update graphloom.versions set created_at = $2::timestamptz where deployment = $1::text`,
        [deployment, new Date(now - age * 24 * 60 * minute).toISOString()],
      );
    });
  }
  await addDay(database, filledVersion.deployment);
  return pages;
}

/** An hour in minutes. */
function lastHourOf({ status, lag, age }: Pictured): readonly Figure[] {
  const minutes = Array.from({ length: 60 }, (_, index) => 59 - index).filter((ago) => ago < age * 24 * 60);
  return minutes.map((ago) => {
    const isFailed = status.health === "failed" && ago <= 12;
    const state = isFailed ? "failed" : status.isSynced || isFailed || lag(ago) === 0 ? "synced" : "indexing";
    const block = (status.chainHeadBlock ?? 0) - lag(ago);
    return {
      at: now - ago * minute,
      minutes: 1,
      state,
      block,
      chainBlock: status.chainHeadBlock,
      lagBlocks: lag(ago),
      lagSeconds: lag(ago) * 2,
      eventsPerSecond: status.handlersPerSecond,
      fromMemory: 640,
      fromEngine: 210,
      refused: 0,
      failed: 0,
      p50: 3,
      p95: 27,
    } as const;
  });
}

/** A day of a deployment: the rate of events goes up and down, and twice it falls behind. */
async function addDay(database: Database, deployment: string): Promise<void> {
  const rows = Array.from({ length: 24 * 60 }, (_, ago) => {
    const wave = 30 + 14 * Math.sin(ago / 190) + 6 * Math.sin(ago / 23);
    const behind = ago > 33 && ago < 38 ? 3 * (ago - 33) : ago > 700 && ago < 745 ? 2 * (ago - 700) : 0;
    return {
      deployment,
      at: now - ago * minute,
      minutes: 1,
      isOwn: true,
      state: "synced" as const,
      block: mainnet.chainHeadBlock - 5 * ago - behind,
      chainBlock: mainnet.chainHeadBlock - 5 * ago,
      lagBlocks: behind,
      lagSeconds: behind * 12,
      eventsPerSecond: Math.round(10 * wave) / 10,
      fromMemory: Math.round(wave * 20),
      fromEngine: Math.round(wave * 6),
      refused: 0,
      failed: 0,
      p50: 3,
      p95: Math.round(18 + wave / 2),
    };
  });
  await addMinutes(database, rows);
  await rollUp(database, now - 2 * 24 * 60 * minute);
  await addMarks(database, [
    { deployment, kind: "restart", at: now - 745 * minute },
    { deployment, kind: "reorganisation", at: now - 260 * minute, blocks: 2 },
  ]);
}
