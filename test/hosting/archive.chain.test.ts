import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openArchive } from "../../src/datasets/archive/open-archive.js";
import { openArchiveFiles } from "../../src/machine/files/archive-files.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { moving } from "../runtime/token-subgraph.js";
import { Anvil, useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { type Doorkeeper, type Passed, standBefore } from "./doorkeeper.js";
import { amounts, type Bundle, bundleOf, type Host, host, indexed, tokens, until } from "./hosted.js";

const anvil = useAnvil(["--chain-id", "1"]);
const { fresh } = onPglite();
// The compiler and the database take their time to start.
beforeAll(async () => {
  await fresh();
  await tokens(anvil());
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function door(): Promise<Doorkeeper> {
  const made = await standBefore(anvil().url);
  onTestFinished(() => made.stop());
  return made;
}

async function hosting(folder: string, url: string): Promise<Host & { readonly said: readonly string[] }> {
  const said: string[] = [];
  const made = await host({
    database: await fresh(),
    nodes: [url],
    archive: openArchiveFiles(folder),
    say: (_, text) => void said.push(text),
  });
  return { ...made, said };
}

/** Indexes a deployment with a server of its own, to the head. */
async function indexOnce(folder: string, url: string, bundle: Bundle): Promise<Host> {
  const made = await hosting(folder, url);
  await made.deploy(bundle);
  await indexed(made, bundle);
  return made;
}

const everything = "{ openeds { number } moveds { amount } balances { id amount moves } }";

/** The same contracts under another name. */
async function secondVersion({ zip }: Bundle): Promise<Bundle> {
  const files = new Map<string, string | Uint8Array>(await unzipBundle(zip));
  const manifest = Buffer.from(files.get(manifestPath) ?? "").toString();
  files.set(manifestPath, `${manifest}\ndescription: The second version\n`);
  return bundleOf({ files }, manifestPath);
}

async function opened(folder: string) {
  const damage: string[] = [];
  const files = openArchiveFiles(folder);
  const { archive } = await openArchive(files, "mainnet", undefined, (why) => damage.push(why));
  return { archive, damage };
}

/** Compares each block of the archive with the node's. */
async function expectOnlyTrueBlocks(folder: string): Promise<number> {
  const { archive, damage } = await opened(folder);
  const chain = anvil().chain();
  let count = 0;
  for (let number = 0; number <= (archive.marks?.final.number ?? -1); number++) {
    const kept = await archive.block(number);
    if (!kept) continue;
    count += 1;
    expect(kept.hash, `block ${number}`).toBe((await chain.block(number))?.hash);
  }
  expect(damage).toEqual([]);
  return count;
}

describe("an engine with an archive", () => {
  it("requests no logs and no contract reads of archived blocks when it indexes a second version", async () => {
    const { token, bundle } = await tokens(anvil());
    for (const amount of [5, 6, 7]) await anvil().transact(moving(anvil(), token, 1, amount));
    await anvil().mine(400);
    const gate = await door();
    const folder = newFolder();
    const first = await indexOnce(folder, gate.url, bundle);
    const before = await first.query(bundle.deployment, everything);
    // It is written as soon as the head is reached, for other servers and the next version.
    await until(
      "the logs are kept",
      async () => (await opened(folder)).archive.reach,
      (reach) => reach > 0,
    );
    await first.hosting.close();
    expect(gate.methods).toContain("eth_getLogs");
    expect(gate.methods).toContain("eth_call");

    const calls: Passed[] = [];
    gate.tell = (call, result) => {
      calls.push(call);
      return result;
    };
    gate.methods.length = 0;
    const final = (await opened(folder)).archive.marks?.final.number ?? 0;
    expect(final).toBeGreaterThan(300);
    const second = await secondVersion(bundle);
    expect(second.deployment).not.toBe(bundle.deployment);
    const again = await indexOnce(folder, gate.url, second);
    expect(await again.query(second.deployment, everything)).toEqual(before);
    expect((before as { moveds: unknown[] }).moveds.length).toBe(3);
    expect(gate.methods).not.toContain("eth_call");
    const asked = calls.filter(({ method }) => method === "eth_getLogs");
    for (const { params } of asked) {
      const [{ fromBlock, blockHash }] = params as [{ fromBlock?: string; blockHash?: string }];
      if (blockHash === undefined) expect(Number(fromBlock)).toBeGreaterThan(final);
    }
    await again.hosting.close();
    expect(await again.log(second.deployment)).toEqual(["Indexing from block 0", "Caught up with the chain"]);
  });

  it("keeps blocks that become final while it follows, and no replaced blocks", async () => {
    const { token, bundle } = await tokens(anvil());
    const folder = newFolder();
    const server = await indexOnce(folder, anvil().url, bundle);
    const fork = await anvil().snapshot();
    await anvil().transact(moving(anvil(), token, 1, 5));
    await anvil().mine(3);
    await until("the move is there", amounts(server, bundle), (found) => found.join() === "5");
    await indexed(server, bundle);
    await anvil().revert(fork);
    // It is at once so long that what was replaced would be final.
    await anvil().inOneBlock([moving(anvil(), token, 2, 9)]);
    await anvil().mine(400);
    await until("the other move is there", amounts(server, bundle), (found) => found.join() === "9");
    const at = await anvil().blockNumber();
    await indexed(server, bundle);
    await anvil().mine(400);
    await until(
      "it has gone on",
      () => server.status(bundle.deployment),
      (status) => status?.headBlock === at + 400,
    );
    await server.hosting.close();
    expect(await expectOnlyTrueBlocks(folder)).toBeGreaterThan(100);
    const { archive } = await opened(folder);
    expect(await archive.block(at)).toBeDefined();
    expect(archive.marks?.final.number).toBeGreaterThan(at);
    expect((await server.log(bundle.deployment)).some((line) => line.startsWith("The chain was"))).toBe(true);
  });

  it("says that a part is damaged, and fetches it again", async () => {
    const { token, bundle } = await tokens(anvil());
    await anvil().transact(moving(anvil(), token, 1, 5));
    await anvil().mine(400);
    const folder = newFolder();
    const first = await indexOnce(folder, anvil().url, bundle);
    const before = await first.query(bundle.deployment, everything);
    await first.hosting.close();
    const [name = ""] = readdirSync(join(folder, "1", "logs"));
    writeFileSync(join(folder, "1", "logs", name), "nothing");
    const again = await indexOnce(folder, anvil().url, bundle);
    expect(await again.query(bundle.deployment, everything)).toEqual(before);
    await until(
      "it is in the log",
      () => again.log(bundle.deployment),
      (lines) => lines.some((line) => line.startsWith(`Part of the archive is not used: logs/${name}: `)),
    );
  });

  it("continues without an archive that cannot be used, and shows its path only to the operator", async () => {
    const { token, bundle } = await tokens(anvil());
    await anvil().transact(moving(anvil(), token, 1, 5));
    await anvil().mine(400);
    const file = join(newFolder(), "a-file");
    writeFileSync(file, "");
    const server = await hosting(file, anvil().url);
    await server.deploy(bundle);
    await indexed(server, bundle);
    expect(await amounts(server, bundle)()).toEqual(["5"]);
    const lines = await until(
      "it is in the log",
      () => server.log(bundle.deployment),
      (found) => found.includes("The archive is not used: not a directory (ENOTDIR)"),
    );
    expect(lines.join()).not.toContain(file);
    expect(server.said).toEqual([expect.stringContaining(file)]);
  });

  it("waits when the nodes and the archive are of different chains, and does not mix them", async () => {
    const { bundle } = await tokens(anvil());
    await anvil().mine(400);
    const folder = newFolder();
    const first = await indexOnce(folder, anvil().url, bundle);
    await first.hosting.close();
    const files = readdirSync(folder);
    const other = await Anvil.start(["--chain-id", "137"]);
    onTestFinished(() => other.stop());
    const gate = await door();
    gate.node = other.url;
    const server = await hosting(folder, gate.url);
    await server.deploy(bundle);
    const held = await until(
      "it is held",
      () => server.status(bundle.deployment),
      (status) => status?.waitsFor !== undefined,
    );
    expect(held?.waitsFor).toContain("mainnet is chain 1, but the node serves chain 137.");
    expect(readdirSync(folder)).toEqual(files);
    gate.node = anvil().url;
    await indexed(server, bundle);
  });

  it("reports that the chain has replaced final blocks of the archive, and continues without it", async () => {
    // Its own chain: the node keeps the states of its last blocks only, which other tests use up.
    const chain = await Anvil.start(["--chain-id", "1"]);
    onTestFinished(() => chain.stop());
    const { token, bundle } = await tokens(chain);
    await chain.mine(400);
    const folder = newFolder();
    const first = await indexOnce(folder, chain.url, bundle);
    await first.hosting.close();
    const { archive } = await opened(folder);
    const moved = moving(chain, token, 1, 5);
    await chain.rpc("anvil_reorg", 300, [[{ ...moved, from: chain.account(0), gas: "0x100000" }, 0]]);
    const second = await secondVersion(bundle);
    const server = await indexOnce(folder, chain.url, second);
    expect(await amounts(server, second)()).toEqual(["5"]);
    await server.hosting.close();
    expect(await server.log(second.deployment)).toContainEqual(
      expect.stringMatching(
        /^The archive is not used: The node has replaced block \d+, which the archive holds/,
      ),
    );
    expect((await opened(folder)).archive.marks).toEqual(archive.marks);
  });
});
