import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Contract, useAnvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import { type RecordingServer, startRecordingServer } from "../support/pipelines/recording-server.js";
import { diskFolder, mountDisk, removeDisk, smallDiskMissing } from "../support/small-disk.js";
import { graphloom, workplace } from "./harness.js";

/*
 * Every command that writes, on a disk that is full: before its first folder, before its first byte, and after a few.
 */

if (smallDiskMissing !== undefined) it.skip(smallDiskMissing, () => undefined);

const anvil = useAnvil(["--chain-id", "1"]);
let token: Contract;
let last: number;
let receiver: RecordingServer;

beforeAll(async () => {
  if (smallDiskMissing !== undefined) return undefined;
  token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  for (const amount of [5, 500]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
  last = await anvil().blockNumber();
  await anvil().mine(100);
  receiver = await startRecordingServer();
  return () => receiver.stop();
});

/** What a disk has left: no file more, or so many pages of 4 KB. */
type Room = "no file" | number;

/** A disk with little room, and what gives it more. */
function smallDisk(room: Room, files: Readonly<Record<string, string>>): { folder: string; free(): void } {
  const folder = diskFolder();
  // The root takes one.
  const inodes = room === "no file" ? `nr_inodes=${1 + Object.keys(files).length}` : "nr_inodes=5000";
  mountDisk(folder, `size=64m,${inodes}`);
  onTestFinished(() => removeDisk(folder));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const filler = join(folder, "filler");
  if (room !== "no file") {
    // The file itself takes no page.
    writeFileSync(filler, "");
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc((bavail - room) * bsize));
  }
  return {
    folder,
    free: () => {
      rmSync(filler, { force: true });
      execFileSync("mount", ["-o", "remount,size=64m,nr_inodes=5000", folder]);
    },
  };
}

const abi = (): string => JSON.stringify(JSON.parse(token.interface.formatJson()));

function config(more: Readonly<Record<string, unknown>>): string {
  const instance = { abi: "Token", address: token.address, chain: "mainnet", ...more };
  return JSON.stringify(
    { version: "1", name: "pools/1.0.0", abis: { Token: { path: "./Token.json" } }, instances: [instance] },
    null,
    2,
  );
}

const pipeline = (sink: string): string => `
name: rows
job: true
sources: { rows: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest, end_block: ${last} } }
sinks: { out: { from: rows, ${sink} } }
`;

interface Writing {
  /** @param disk where it writes to */
  line(disk: string): string;
  readonly rooms: readonly Room[];
  /** Environment variables. */
  env?(disk: string): Readonly<Record<string, string>>;
  /** Files that are on the disk before. */
  files?(): Readonly<Record<string, string>>;
  /** The definition of a pipeline. */
  flow?(disk: string): string;
  /** It would go on for ever, or make a database, which takes long. */
  readonly isTriedOnce?: true;
}

const few: readonly Room[] = ["no file", 0, 2];
const mainnet = (): string => `--rpc mainnet=${anvil().url} --to-block ${last}`;
const ethereum = (): string => `--rpc ethereum=${anvil().url}`;
const synced = (kind: string): string =>
  `external-data sync ${kind} --network ethereum ${ethereum()} --to-block ${last} --blocks-per-file 2`;

const writings: Readonly<Record<string, Writing>> = {
  "run --archive": {
    line: (disk) => `run subgraph.json ${mainnet()} --archive ${disk}/kept`,
    rooms: [...few, 8],
  },
  "run --database": {
    line: (disk) => `run subgraph.json ${mainnet()} --database ${disk}/db`,
    rooms: ["no file", 0],
    isTriedOnce: true,
  },
  "dev --data": {
    line: (disk) => `dev subgraph.json --rpc mainnet=${anvil().url} --data ${disk}/d --port 0`,
    rooms: [0],
    isTriedOnce: true,
  },
  "serve --data": {
    line: (disk) => `serve --data ${disk}/d --port 0`,
    rooms: ["no file", 0],
    isTriedOnce: true,
  },
  "data sync": {
    line: (disk) => `data sync --chains ethereum ${ethereum()} --to ${last} --data ${disk}/d`,
    rooms: [0],
    isTriedOnce: true,
  },
  "external-data sync": { line: (disk) => `${synced("raw-logs")} --out ${disk}/data`, rooms: few },
  "external-data sync --archive": {
    line: (disk) => `${synced("raw-blocks")} --out data --archive ${disk}/kept`,
    rooms: few,
  },
  compile: { line: (disk) => `compile subgraph.json --out ${disk}/build`, rooms: few },
  "subgraph init": {
    line: (disk) => `subgraph init pools/1.0.0 --target-path ${disk}/p --from-config subgraph.json`,
    rooms: few,
  },
  init: {
    line: (disk) =>
      `init ${disk}/new.json --abi Token.json --contract ${token.address} --network mainnet --start-block 1 --yes`,
    rooms: ["no file", 0],
  },
  "check --fix": {
    line: (disk) => `check --fix ${disk}/fixed.json`,
    rooms: ["no file", 0],
    files: () => ({ "Token.json": abi(), "fixed.json": config({ start_block: 1 }) }),
  },
  map: { line: (disk) => `map subgraph.json --output ${disk}/map.svg`, rooms: few },
  "schema --api": { line: (disk) => `schema subgraph.json --api --output ${disk}/api.graphql`, rooms: few },
  "map --readme": {
    line: (disk) => `map subgraph.json --readme ${disk}/README.md`,
    rooms: ["no file", 0],
    files: () => ({ "README.md": "<!-- graphloom map -->\n<!-- /graphloom map -->\n" }),
  },
  "telemetry disable": {
    line: () => "telemetry disable",
    env: (disk) => ({ XDG_CONFIG_HOME: disk }),
    rooms: ["no file", 0],
  },
  "pipeline run, a file": {
    line: () => `pipeline run flow.yaml ${ethereum()}`,
    flow: (disk) => pipeline(`type: file, path: ${disk}/rows, finalized: true, blocks_per_file: 1`),
    rooms: few,
  },
  "pipeline run, the state of a sink": {
    line: (disk) => `pipeline run flow.yaml ${ethereum()} --state ${disk}/state`,
    flow: () => pipeline(`type: webhook, url: "${receiver.url}"`),
    rooms: few,
  },
  "pipeline run --archive": {
    line: (disk) => `pipeline run flow.yaml ${ethereum()} --archive ${disk}/kept`,
    flow: () => pipeline("type: print"),
    rooms: few,
  },
};

const cases = Object.entries(writings).flatMap(([name, writing]) =>
  writing.rooms.map((room) => [name, room, writing] as const),
);

describe.skipIf(smallDiskMissing !== undefined)("a full disk", () => {
  it.each(cases)("is reported with what to do: %s, room for %s", async (_, room, writing) => {
    const disk = smallDisk(room, writing.files?.() ?? {});
    const cwd = workplace();
    writeFileSync(join(cwd, "Token.json"), abi());
    writeFileSync(join(cwd, "subgraph.json"), config({ startBlock: 1 }));
    if (writing.flow) writeFileSync(join(cwd, "flow.yaml"), writing.flow(disk.folder));
    const env = { HOME: cwd, ...writing.env?.(disk.folder) };
    const run = (onErr: (text: string) => void): ReturnType<typeof graphloom> =>
      graphloom(cwd, writing.line(disk.folder), { env, onErr });
    const { code, err } = await run((text) => {
      if (/stalled|no longer writing/.test(text)) disk.free();
    });
    if (code !== 0 || err.includes("disk is full")) {
      expect(err).toContain(disk.folder);
      expect(err).toMatch(/the disk is full|has no space left/);
      expect(err).toMatch(/Free some space|Run it again later/);
    }
    // Nothing of the system's own words, nor of those for a bug.
    expect(err).not.toMatch(/ENOENT|ENOSPC: |bug in graphloom/);
    expect([0, 1, 3], err).toContain(code);
    if (room === "no file" || room === 0) expect(err).not.toBe("");
    const left = readdirSync(disk.folder, { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => path.includes(".tmp"))).toEqual([]);
    if (writing.isTriedOnce) return;
    disk.free();
    const again = await run(() => undefined);
    expect(again.code, again.err).toBe(0);
  });
});
