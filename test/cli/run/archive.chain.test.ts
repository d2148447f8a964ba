import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../../hosting/doorkeeper.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { graphloom } from "../harness.js";
import { exampleFolder, type Traded, trade } from "./chains.js";

const anvil = useAnvil(["--chain-id", "1"]);
let traded: Traded;
let last: number;
let door: Doorkeeper;
let asked = 0;

beforeAll(async () => {
  traded = await trade(anvil(), 5);
  last = await anvil().blockNumber();
  await anvil().mine(400);
  door = await standBefore(anvil().url);
  door.tell = (_, result) => {
    asked += 1;
    return result;
  };
  return () => door.stop();
});

interface ArchivedRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Requests that reached the node. */
  readonly asked: number;
}

async function run(cwd: string, options: string): Promise<ArchivedRun> {
  asked = 0;
  const { code, out, err } = await graphloom(cwd, `run subgraph.json --output json ${options}`);
  return { code, out, err, asked };
}

const reading = (): string => `--rpc mainnet=${door.url} --from-block 0 --to-block ${last}`;

describe("run --archive", () => {
  it("fetches everything once, and needs no node for later runs", async () => {
    const cwd = exampleFolder(traded.factory);
    const plain = await run(cwd, reading());
    const first = await run(cwd, `${reading()} --archive kept`);
    const second = await run(cwd, `${reading()} --archive kept`);
    const offline = await run(cwd, `--from-block 0 --to-block ${last} --archive kept --offline`);
    expect(plain.code, plain.err).toBe(0);
    expect(Object.keys(JSON.parse(plain.out).mainnet.entities).length).toBeGreaterThan(0);
    for (const { code, out, err } of [first, second, offline]) {
      expect(code, err).toBe(0);
      expect(JSON.parse(out)).toEqual(JSON.parse(plain.out));
    }
    expect(first.asked).toBeGreaterThan(10);
    expect(first.err).toMatch(/^mainnet: [1-9]\d* requests to the node, the rest from the archive$/m);
    expect(second.asked).toBe(0);
    expect(second.err).toContain("mainnet: 0 requests to the node, the rest from the archive\n");
    expect(offline.asked).toBe(0);
  });

  it("stops offline at the newest block of the archive", async () => {
    const cwd = exampleFolder(traded.factory);
    await run(cwd, `--rpc mainnet=${door.url} --from-block 0 --archive kept`);
    const offline = await run(cwd, "--from-block 0 --archive kept --offline");
    expect(offline.code, offline.err).toBe(0);
    expect(JSON.parse(offline.out).mainnet.entities.Swap.length).toBe(5);
  });

  it("adds nothing when the node does not say which block is final, and says so once", async () => {
    const cwd = exampleFolder(traded.factory);
    const plain = await run(cwd, reading());
    const { tell } = door;
    door.tell = (call, result) => (call.params[0] === "finalized" ? null : result);
    const { code, out, err } = await run(cwd, `${reading()} --archive kept`).finally(() => {
      door.tell = tell;
    });
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toEqual(JSON.parse(plain.out));
    expect(err.match(/^mainnet: nothing is added to the archive: .* Use another node$/gm)).toHaveLength(1);
    expect(existsSync(join(cwd, "kept", "1", "blocks"))).toBe(false);
  });

  it("names a damaged part, and reads it from the node", async () => {
    const cwd = exampleFolder(traded.factory);
    const first = await run(cwd, `${reading()} --archive kept`);
    const folder = join(cwd, "kept", "1", "blocks");
    const [name = ""] = readdirSync(folder);
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), bytes.subarray(0, bytes.length - 1));
    const again = await run(cwd, `${reading()} --archive kept`);
    expect(again.code, again.err).toBe(0);
    expect(again.err).toContain(`mainnet: part of the archive is not used: blocks/${name}: `);
    expect(JSON.parse(again.out)).toEqual(JSON.parse(first.out));
  });

  it("uses the folder in GRAPHLOOM_ARCHIVE", async () => {
    const cwd = exampleFolder(traded.factory);
    const { code, err } = await graphloom(cwd, `run subgraph.json ${reading()}`, {
      env: { GRAPHLOOM_ARCHIVE: "elsewhere" },
    });
    expect(code, err).toBe(0);
    expect(existsSync(join(cwd, "elsewhere", "1", "manifest.jsonl"))).toBe(true);
  });

  it("ends at once if the node has replaced blocks that the archive considers final", async () => {
    const cwd = exampleFolder(traded.factory);
    const { tell } = door;
    const asLocal = (options: string): Promise<ArchivedRun> => {
      door.tell = (call, result) => (call.method === "eth_chainId" ? "0x7a69" : tell(call, result));
      return run(cwd, options).finally(() => {
        door.tell = tell;
      });
    };
    const head = await anvil().blockNumber();
    const beyond = `--rpc mainnet=${door.url} --from-block 0 --to-block ${head}`;
    expect((await run(cwd, `${beyond} --archive public`)).code).toBe(0);
    expect((await asLocal(`${beyond} --archive local`)).code).toBe(0);
    const kept = await asLocal(`${reading()} --archive local`);
    expect(kept.code, kept.err).toBe(0);
    // Without a transaction, the new blocks would have the hashes of the old ones.
    const sending = { from: anvil().account(0), to: anvil().account(1), value: "0x1" };
    await anvil().rpc("anvil_reorg", 300, [[sending, 0]]);
    const covered = await run(cwd, `${reading()} --archive public`);
    expect([covered.code, covered.asked]).toEqual([0, 0]);
    const ended = await run(cwd, `${beyond} --archive public`);
    const local = await asLocal(`${reading()} --archive local`);
    const [folder = ""] = readdirSync(join(cwd, "local")).filter((name) => name.startsWith("31337"));
    for (const [{ code, err }, name, chain] of [
      [ended, "public", "1"],
      [local, "local", folder],
    ] as const) {
      const place = join(cwd, name);
      expect([code, err]).toEqual([
        3,
        expect.stringContaining(`which the archive in ${place} holds as final`),
      ]);
      expect(err).toContain(`graphloom archive prune --archive ${place} --chain ${chain} --all.`);
      expect(err).not.toContain("retrying");
    }
    const pruned = await graphloom(cwd, `archive prune --archive local --chain ${folder} --all -f`);
    expect(pruned.code, pruned.err).toBe(0);
    const again = await asLocal(`${beyond} --archive local`);
    expect(again.code, again.err).toBe(0);
  });

  it.each([
    ["--offline", "--offline requires an archive to read from"],
    ["--archive=", "--archive requires a folder."],
    ["--archive kept --offline --watch", "--offline and --watch contradict each other"],
    ["--archive nothing --offline", 'the archive has nothing of the network "mainnet"'],
  ])("rejects %s with a reason", async (options, why) => {
    const cwd = exampleFolder(traded.factory);
    const { code, err } = await run(cwd, `--rpc mainnet=${door.url} ${options}`);
    expect(code).toBeGreaterThan(1);
    expect(err).toContain(why);
  });
});
