import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openFiles, openIpfs } from "../../../src/machine/open-files.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";
import { startDouble } from "../../support/network/double-server.js";
import { startIpfsDouble } from "../../support/network/ipfs-double.js";
import { type Ran, runOn } from "../harness.js";
import { buildNft, listeningTo, type NftBuild, nftContract } from "./build-nft.js";
import { fileNamed, playFiles } from "./played-files.js";

const anvil = useAnvil();
let build: NftBuild;
beforeAll(async () => {
  build = await buildNft();
});

const [a, b, c] = [fileNamed("a"), fileNamed("b"), fileNamed("c")];

interface Place {
  readonly nft: Contract;
  readonly built: NftBuild;
  /** The block after the one that deployed the contract. */
  readonly start: number;
}

async function deploy(): Promise<Place> {
  const nft = await anvil().deploy(nftContract.abi, nftContract.bytecode);
  return { nft, built: listeningTo(build, nft.address), start: (await anvil().blockNumber()) + 1 };
}

/** What was written of files, and in which block. */
async function metadata({ store }: Ran, start: number): Promise<readonly unknown[]> {
  const versions = await store.current("TokenMetadata");
  return versions.map(({ entity, from }) => {
    const plain = (name: string): unknown => {
      const value = entity.get(name);
      return value && value.kind !== "Null" ? value.value : undefined;
    };
    return [plain("name") ?? "(none)", plain("token") ?? "(none)", plain("holder"), from - start];
  });
}

describe("file data sources", () => {
  it("file handlers run in the block that creates them, without access to the chain", async () => {
    const double = await startIpfsDouble();
    onTestFinished(() => double.stop());
    const { nft, built, start } = await deploy();
    const [one, bad] = [await double.put('{"name":"One"}'), await double.put("{name")];
    await anvil().inOneBlock([callOf(nft, "mint", [1, one]), callOf(nft, "mint", [2, `ipfs://${bad}`])]);
    // What is no address of a file is left out.
    await anvil().send(nft, "mint", [3, "Qm"]);
    const ran = await runOn(anvil(), built, { from: start, files: openIpfs(double.url) });
    expect(ran.failure).toBeUndefined();
    expect(ran.missingFiles).toEqual([]);
    expect(await metadata(ran, start)).toEqual([
      ["One", "1", "nobody", 0],
      ["(none)", "2", "nobody", 0],
    ]);
    expect(await ran.all("Holder")).toEqual([{ id: "first", tokens: 3 }]);
    expect(await ran.store.dataSources()).toMatchObject([
      { template: "TokenMetadata", region: 1, doneAt: start },
      { template: "TokenMetadata", region: 2, doneAt: start },
    ]);
  });

  it("files of Arweave are handled once the gateway has them, and an error page is not a file", async () => {
    const known = new Map([["/tx1/1.json", '{"name":"One"}']]);
    const double = await startDouble(({ path }) => {
      const body = known.get(path);
      return body === undefined ? { status: 404, body: '{"name":"not found"}' } : { status: 200, body };
    });
    onTestFinished(() => double.stop());
    const { nft, built, start } = await deploy();
    const manifest = String(built.files.get("build/subgraph.yaml")).replace("file/ipfs", "file/arweave");
    const files = new Map([...built.files, ["build/subgraph.yaml", manifest]]);
    await anvil().inOneBlock([callOf(nft, "mint", [1, "tx1/1.json"]), callOf(nft, "mint", [2, "tx2"])]);
    const options = { from: start, files: openFiles({ arweave: double.url }) };
    const ran = await runOn(anvil(), { files }, { ...options, filePatience: 0 });
    expect(ran.failure).toBeUndefined();
    expect(ran.missingFiles).toEqual(["ar://tx2"]);
    expect(await metadata(ran, start)).toEqual([["One", "1", "nobody", 0]]);
    known.set("/tx2", '{"name":"Two"}');
    await anvil().mine(1);
    const later = await runOn(anvil(), { files }, { ...options, store: ran.store });
    expect(later.missingFiles).toEqual([]);
    expect(await metadata(later, start)).toEqual([
      ["One", "1", "nobody", 0],
      ["Two", "2", "nobody", 1],
    ]);
  });

  it("entities of a file are private to it, and each file is handled once", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"name":"A"}');
    await anvil().send(nft, "mint", [1, a]);
    await anvil().send(nft, "mint", [1, a]);
    const ran = await runOn(anvil(), built, { from: start, files });
    expect(await metadata(ran, start)).toEqual([["A", "1", "nobody", 0]]);
    expect(await ran.all("Token")).toMatchObject([{ id: "1", isKnown: false }]);
    expect(await ran.store.get("TokenMetadata", a)).toBeUndefined();
    expect(ran.progress.handlers).toBe(3);

    await anvil().send(nft, "claim", [a]);
    await expect(runOn(anvil(), built, { from: start, files })).rejects.toThrow(
      `TokenMetadata[${a}] was written by a file data source, so this on-chain data source cannot write it`,
    );
  });

  it("a file handler cannot write entities of another file or of the chain", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"id":"same"}');
    files.put(b, '{"id":"same"}');
    await anvil().send(nft, "mint", [1, a]);
    const one = await anvil().blockNumber();
    await anvil().send(nft, "mint", [2, b]);
    await expect(runOn(anvil(), built, { from: start, files })).rejects.toThrow(
      "TokenMetadata[same] was written by another file data source",
    );
    await anvil().inOneBlock([callOf(nft, "claim", ["chain"]), callOf(nft, "mint", [3, c])]);
    files.put(b, "{}");
    files.put(c, '{"id":"chain"}');
    await expect(runOn(anvil(), built, { from: start, files })).rejects.toThrow(
      "TokenMetadata[chain] was written by an on-chain data source, so this file data source cannot write it",
    );
    const ran = await runOn(anvil(), built, { from: start, to: one, files });
    expect(await metadata(ran, start)).toEqual([["(none)", "1", "nobody", 0]]);
  });

  it("a file handler that creates an on-chain data source ends the run", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, JSON.stringify({ creates: true }));
    await anvil().send(nft, "mint", [1, a]);
    const { failure, store } = await runOn(anvil(), built, { from: start, files });
    expect(failure).toMatchObject({ handler: "handleMetadata", source: "TokenMetadata", block: start });
    expect(failure).toMatchObject({ isDeterministic: false });
    expect(failure?.error.message).toContain("a file handler cannot create Other");
    expect(await store.all("Token")).toEqual([]);
  });

  it("a failed file handler fails the block after the one that created it", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, JSON.stringify({ creates: true }));
    files.put(b, JSON.stringify({ name: "B" }));
    await anvil().inOneBlock([callOf(nft, "mint", [1, a]), callOf(nft, "mint", [2, b])]);
    await anvil().mine(1);
    const ran = await runOn(anvil(), built, { from: start, files });
    expect(ran.failure).toMatchObject({ handler: "handleMetadata", block: start + 1 });
    expect(await metadata(ran, start)).toEqual([["B", "2", "nobody", 0]]);
  });

  it.each([
    ["reads a token", "entity type `Token` is not on the 'entities' list for data source `TokenMetadata`"],
    ["calls", "a file handler cannot call `ethereum.getBalance`"],
  ])("skips a file permanently when its handler %s", async (what, message) => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, JSON.stringify({ [what]: true }));
    await anvil().send(nft, "mint", [1, a]);
    await anvil().mine(1);
    const lines: string[] = [];
    const { failure, store } = await runOn(anvil(), built, {
      from: start,
      files,
      onBlock: (_, outcome) => lines.push(...outcome.lines.map((line) => line.message)),
    });
    expect(failure).toBeUndefined();
    expect(lines).toEqual([expect.stringContaining(message)]);
    expect(await store.all("TokenMetadata")).toEqual([]);
    expect((await store.dataSources()).map(({ doneAt }) => doneAt)).toEqual([start]);
  });

  it("a file handler can create file data sources", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, JSON.stringify({ name: "A", more: b }));
    files.put(b, JSON.stringify({ name: "B", more: a }));
    await anvil().send(nft, "mint", [1, a]);
    const ran = await runOn(anvil(), built, { from: start, files });
    expect(await metadata(ran, start)).toEqual([
      ["A", "1", "nobody", 0],
      ["B", "1", "nobody", 0],
    ]);
  });

  it("a later block handles a file that is found later", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"name":"late"}', 3);
    files.put(b, '{"name":"early"}');
    await anvil().send(nft, "mint", [1, a]);
    await anvil().send(nft, "mint", [2, b]);
    await anvil().mine(20);
    const ran = await runOn(anvil(), built, { from: start, files });
    // It is looked for again two blocks later, and four after that; blocks do not wait for that, though.
    const [early, late] = await metadata(ran, start);
    expect(early).toEqual(["early", "2", "nobody", 1]);
    expect(late).toEqual(["late", "1", "nobody", expect.toSatisfy((block: number) => block >= 6)]);
    expect(files.asked.filter((path) => path === a).length).toBe(3);
    expect(ran.missingFiles).toEqual([]);
  });

  it("the end of a run waits for files, and reports missing ones", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"name":"last"}', 4);
    await anvil().send(nft, "mint", [1, a]);
    await anvil().send(nft, "mint", [2, c]);
    const waits: string[] = [];
    const pause = async (_: number, why: string): Promise<void> => void waits.push(why);
    const ran = await runOn(anvil(), built, { from: start, files, pause, filePatience: 5_000 });
    expect(await metadata(ran, start)).toEqual([["last", "1", "nobody", 1]]);
    expect(ran.missingFiles).toEqual([c]);
    expect(waits[0]).toBe(`waiting for 2 files, such as ${a}`);
    expect(waits.at(-1)).toBe(`waiting for ${c}`);

    files.put(c, '{"name":"found"}');
    await anvil().mine(1);
    const went = await runOn(anvil(), built, { from: start, files, store: ran.store });
    expect(await metadata(went, start)).toEqual([
      ["last", "1", "nobody", 1],
      ["found", "2", "nobody", 2],
    ]);
    expect(went.missingFiles).toEqual([]);
  });

  it("waits for a gateway that cannot be reached, and requires a gateway", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"name":"A"}');
    files.isAway = true;
    await anvil().send(nft, "mint", [1, a]);
    const pause = async (): Promise<void> => {
      files.isAway = false;
    };
    const ran = await runOn(anvil(), built, { from: start, files, pause });
    expect(await metadata(ran, start)).toEqual([["A", "1", "nobody", 0]]);
    await expect(runOn(anvil(), built, { from: start })).rejects.toThrow("no IPFS gateway is set");
  });

  it("a revert removes file data sources, and later files are handled again", async () => {
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(a, '{"name":"late"}', 2);
    files.put(b, '{"name":"again"}');
    files.put(c, '{"name":"gone"}');
    await anvil().send(nft, "mint", [1, a]);
    const before = await anvil().snapshot();
    await anvil().inOneBlock([callOf(nft, "mint", [2, b]), callOf(nft, "mint", [3, c])]);
    await anvil().mine(4);
    let waited = 0;
    const handled: (readonly number[])[] = [];
    const ran = await runOn(anvil(), built, {
      from: start,
      files,
      onBlock: (_, { writes }) => void (writes.filesDone && handled.push(writes.filesDone)),
      waitForBlocks: async () => {
        waited += 1;
        if (waited > 1) return false;
        await anvil().revert(before);
        await anvil().mine(2);
        await anvil().send(nft, "mint", [2, b]);
        await anvil().mine(6);
        return true;
      },
    });
    // The first one comes later, and is handled in a block that goes, too.
    expect(handled.slice(0, 2)).toEqual([[2, 3], [1]]);
    expect(handled.slice(2).flat().sort()).toEqual([1, 2]);
    expect((await metadata(ran, start)).map((found) => [found].flat().slice(0, 3)).sort()).toEqual([
      ["again", "2", "nobody"],
      ["late", "1", "nobody"],
    ]);
    expect((await ran.all("Token")).map(({ id }) => id)).toEqual(["1", "2"]);
    expect(await ran.store.dataSources()).toMatchObject([
      { region: 1, creationBlock: start, doneAt: expect.any(Number) },
      { region: 2, creationBlock: start + 3, doneAt: start + 3 },
    ]);
  });

  it("file data sources continue from a database", async () => {
    const database = await onPglite().fresh();
    await migrate(database);
    const { nft, built, start } = await deploy();
    const files = playFiles();
    files.put(b, '{"name":"B"}');
    await anvil().inOneBlock([callOf(nft, "mint", [1, a]), callOf(nft, "mint", [2, b])]);
    const own = [...built.files].map(([path, content]) => [path.replace(/^build\//, ""), content] as const);
    const subgraph = readRunnable({ manifest: "subgraph.yaml", files: new Map(own) });
    const open = async (): Promise<Store> => {
      const deployment = await openDeployment(database, {
        deployment: "QmNft",
        network: "mainnet",
        schema: subgraph.schema,
        startBlock: start,
        fileTypes: new Set(["TokenMetadata", "Holder"]),
      });
      return openStore(database, deployment, subgraph);
    };
    const first = await runOn(anvil(), built, { from: start, files, store: await open() });
    expect(first.missingFiles).toEqual([a]);
    files.put(a, '{"name":"A"}');
    await anvil().send(nft, "mint", [2, b]);
    const second = await runOn(anvil(), built, { from: start, files, store: await open() });
    expect(await metadata(second, start)).toEqual([
      ["B", "2", "nobody", 0],
      ["A", "1", "nobody", 1],
    ]);
  });
});
