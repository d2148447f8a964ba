import { describe, expect, it } from "vitest";
import { ArchivedChain } from "../../src/datasets/archive/archived-chain.js";
import { ChainArchive } from "../../src/datasets/archive/chain-archive.js";
import { checkedClient } from "../../src/datasets/archive/checked-client.js";
import { openArchive } from "../../src/datasets/archive/open-archive.js";
import type { Compilation } from "../../src/exports/index.js";
import type { RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import type { RunOptions } from "../../src/runtime/run-subgraph.js";
import { runOn } from "../runtime/harness.js";
import { buildTokens, deployFactory } from "../runtime/token-subgraph.js";
import {
  type ArchivedRun,
  type ArchivedRunOptions,
  busyChain,
  entitiesOf,
  runArchived as runArchivedOn,
  tokenTypes,
} from "../support/archive/archived-run.js";
import { MemoryArchiveFiles } from "../support/archive/memory-files.js";
import { useAnvil } from "../support/chain/anvil.js";

const anvil = useAnvil(["--chain-id", "1"]);

const runArchived = (
  files: MemoryArchiveFiles,
  built: Compilation,
  options?: ArchivedRunOptions,
): Promise<ArchivedRun> => runArchivedOn(anvil(), files, built, options);

/** A chain with an archive of it, which a first run has filled. */
async function archivedChain(options: RunOptions = {}): Promise<{
  readonly built: Compilation;
  readonly last: number;
  readonly files: MemoryArchiveFiles;
  readonly first: ArchivedRun;
}> {
  const { built, last } = await busyChain(anvil());
  const files = new MemoryArchiveFiles();
  return { built, last, files, first: await runArchived(files, built, { ...options, to: last }) };
}

/** The files of an archive in a folder. */
function inFolder({ content }: MemoryArchiveFiles, folder: string): readonly string[] {
  return [...content.keys()].filter((path) => path.startsWith(`1/${folder}/`));
}

describe("a run through an archive", () => {
  it("sends no request the second time, and has the same entities", async () => {
    const { built, last, files, first } = await archivedChain();
    const plain = await runOn(anvil(), built, { to: last });
    const second = await runArchived(files, built, { to: last });
    expect(first.requests).toBeGreaterThan(10);
    expect(second.requests).toBe(0);
    for (const type of tokenTypes) expect((await plain.all(type)).length).toBeGreaterThan(0);
    expect(await entitiesOf(first.ran)).toEqual(await entitiesOf(plain));
    expect(await entitiesOf(second.ran)).toEqual(await entitiesOf(plain));
  });

  it("needs no node when it must not ask any", async () => {
    const { built, last, files, first } = await archivedChain();
    const offline = await runArchived(files, built, { to: last, offline: true });
    expect(await entitiesOf(offline.ran)).toEqual(await entitiesOf(first.ran));
  });

  it("says what is missing when it must not ask a node", async () => {
    const { built, last, files } = await archivedChain();
    const beyond = runArchived(files, built, { to: last + 10_000, offline: true });
    await expect(beyond).rejects.toThrow(/^the archive lacks the answer to eth_/);
    const nothing = runArchived(new MemoryArchiveFiles(), built, { to: last, offline: true });
    await expect(nothing).rejects.toThrow('the archive has nothing of the network "mainnet"');
  });

  it("requests only blocks that a shorter run has not kept", async () => {
    const { built, last } = await busyChain(anvil());
    const files = new MemoryArchiveFiles();
    await runArchived(files, built, { to: last - 4 });
    const longer = await runArchived(files, built, { to: last });
    expect(longer.requests).toBeGreaterThan(0);
    expect(await entitiesOf(longer.ran)).toEqual(await entitiesOf(await runOn(anvil(), built, { to: last })));
    expect((await runArchived(files, built, { to: last })).requests).toBe(0);
  });

  it("never uses the logs of some contracts for other contracts", async () => {
    const { last, files } = await archivedChain();
    const other = await deployFactory(anvil());
    await anvil().send(other, "make", [2]);
    await anvil().client.request("anvil_mine", ["0x190"]);
    const built = await buildTokens(other.address);
    const to = last + 405;
    const archived = await runArchived(files, built, { to });
    expect(archived.requests).toBeGreaterThan(0);
    expect((await archived.ran.all("Made")).length).toBe(2);
    expect(await entitiesOf(archived.ran)).toEqual(await entitiesOf(await runOn(anvil(), built, { to })));
  });

  it("rejects logs whose proof is weaker than requested", async () => {
    const { built, last, files } = await archivedChain({ verify: "bloom" });
    const proved = await runArchived(files, built, { to: last, verify: "receipts" });
    expect(proved.requests).toBeGreaterThan(0);
    expect((await runArchived(files, built, { to: last, verify: "receipts" })).requests).toBe(0);
    expect((await runArchived(files, built, { to: last, verify: "bloom" })).requests).toBe(0);
  });

  it("keeps nothing that a reorganisation may still replace", async () => {
    const { built } = await busyChain(anvil());
    const head = Number(await anvil().client.request("eth_blockNumber", []));
    const files = new MemoryArchiveFiles();
    await runArchived(files, built, { to: head });
    const { archive } = await openArchive(files, "mainnet", undefined);
    const final = archive.marks?.final.number ?? 0;
    expect(final).toBeGreaterThan(0);
    expect(final).toBeLessThan(head);
    expect(await archive.block(final)).toBeDefined();
    expect(await archive.block(final + 1)).toBeUndefined();
    expect((await runArchived(files, built, { to: head })).requests).toBeGreaterThan(0);
  });

  it("keeps nothing that was replaced while a following run was suspended", async () => {
    const { built } = await busyChain(anvil());
    const fork = await anvil().snapshot();
    await anvil().mine(5);
    const head = await anvil().blockNumber();
    const files = new MemoryArchiveFiles();
    const asleep = [
      async () => {
        await anvil().revert(fork);
        await deployFactory(anvil());
        await anvil().mine(400);
      },
      () => anvil().mine(100),
    ];
    const waitForBlocks = async (): Promise<boolean> => {
      const next = asleep.shift();
      await next?.();
      return next !== undefined;
    };
    const { ran } = await runArchived(files, built, { waitForBlocks });
    expect(ran.progress.reverted).toBeGreaterThan(0);
    const { archive } = await openArchive(files, "mainnet", undefined);
    expect(archive.marks?.final.number).toBeGreaterThan(head);
    const numbers = Array.from({ length: head + 1 }, (_, number) => number);
    const kept = (await Promise.all(numbers.map((number) => archive.block(number)))).filter(
      (block) => !!block,
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const { number, hash } of kept) expect(hash).toBe((await anvil().chain().block(number))?.hash);
  });

  it.each<[string, string, (bytes: Uint8Array) => Uint8Array | undefined]>([
    [
      "a flipped bit",
      "checksum",
      (bytes) => bytes.with(bytes.length >> 1, (bytes.at(bytes.length >> 1) ?? 0) ^ 1),
    ],
    ["a missing end", "bytes instead of", (bytes) => bytes.slice(0, -1)],
    ["no file at all", "missing", () => undefined],
  ])("names a segment with %s, and fetches it again", async (_, why, damage) => {
    const { built, last, files: whole, first } = await archivedChain();
    for (const folder of ["blocks", "transactions", "logs", "claims", "answers"]) {
      const files = whole.copy();
      const [path = ""] = inFolder(files, folder);
      const damaged = damage(files.content.get(path) ?? new Uint8Array());
      if (damaged) files.content.set(path, damaged);
      else files.content.delete(path);
      const again = await runArchived(files, built, { to: last });
      expect(again.damage, folder).toEqual([expect.stringContaining(why)]);
      expect(again.damage[0], folder).toContain(path.slice("1/".length));
      expect(again.requests, folder).toBeGreaterThan(0);
      expect(await entitiesOf(again.ran), folder).toEqual(await entitiesOf(first.ran));
      const mended = await runArchived(files, built, { to: last });
      expect(mended.requests, folder).toBe(0);
    }
  });

  it("refuses a segment of another chain", async () => {
    const { last, files } = await archivedChain();
    for (const [path, bytes] of files.content)
      if (path.startsWith("1/")) files.content.set(`10${path.slice(1)}`, bytes);
    const damage: string[] = [];
    const onDamage = (why: string): void => void damage.push(why);
    const archive = await ChainArchive.open({ files, folder: "10", chainId: "10", onDamage });
    expect(await archive.block(last)).toBeUndefined();
    expect(damage).toEqual([expect.stringContaining("belongs to chain 1, not to chain 10")]);
  });

  it("refuses a node of another chain before it mixes their data", async () => {
    const { built, last, files } = await archivedChain();
    const strange: RpcClient = {
      request: async (method, parameters, options) =>
        method === "eth_chainId" ? "0x2" : anvil().client.request(method, parameters, options),
    };
    const opened = await openArchive(files, "mainnet", strange);
    const chain = new ArchivedChain(createRpcChain(checkedClient(strange, opened)), opened.archive, {
      finalOf: async () => undefined,
      to: last + 1_000,
    });
    await expect(runOn(chain, built, { to: last + 1_000, archive: chain })).rejects.toThrow(
      "This node serves chain 2, but the archive of this network holds chain 1.",
    );
  });
});
