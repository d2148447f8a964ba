import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DumpFiles } from "../../src/dumps/dump-files.js";
import { type DumpPart, type DumpPosition, framesOf } from "../../src/dumps/dump-parts.js";
import { dumpSlice, type SliceLimits } from "../../src/dumps/dump-slice.js";
import { ownSource } from "../../src/dumps/dump-source.js";
import { type DumpServer, receiveDump } from "../../src/dumps/receive-dump.js";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { describeDatabases } from "../support/database/databases.js";
import { testFolder } from "../support/folder.js";
import { blockAt, deployment, indexed, killedAt, openOwn, rowsOf } from "./dump-tests.js";

const usual: SliceLimits = { characters: 1e9, time: 1e9, fileCharacters: 1e9 };
/** One batch of rows, and then the next answer. */
const small: SliceLimits = { characters: 1, time: 0, fileCharacters: 1 };

interface TestServer extends DumpServer {
  /** The positions that clients asked from. */
  readonly asked: DumpPosition[];
}

/** A server as a client sees it. @param before called with the number of each request, from 1, before it is answered */
function serverOf(
  database: Database,
  limits: SliceLimits,
  before: (request: number) => Promise<void> = async () => undefined,
  change: (part: DumpPart) => DumpPart = (part) => part,
): TestServer {
  const asked: DumpPosition[] = [];
  return {
    asked,
    async *ask(position) {
      asked.push(position);
      await before(asked.length);
      const frames: Uint8Array[] = [];
      await database.transaction(
        async (sql) => {
          const source = await ownSource(sql, deployment);
          for await (const part of dumpSlice(sql, source, position, limits, () => 0))
            frames.push(...framesOf(change(part)));
        },
        { snapshot: true },
      );
      // In pieces that end anywhere.
      const all = Buffer.concat(frames);
      for (let at = 0; at < all.length; at += 777) yield all.subarray(at, at + 777);
    },
    mayPass: async () => false,
  };
}

/** The same rows and facts come out of the folder. */
async function expectSame(database: Database, files: DumpFiles): Promise<void> {
  const [rows, found] = [await rowsOf(database, deployment), await findDeployment(database, deployment)];
  await restoreDump(database, files, { replace: true });
  expect(await rowsOf(database, deployment)).toEqual(rows);
  // Restores do not know the time of the last block.
  const { timestamp: _, ...head } = found?.head ?? {};
  expect(await findDeployment(database, deployment)).toMatchObject({
    head,
    manifest: found?.manifest,
    startBlock: found?.startBlock,
    earliestBlock: found?.earliestBlock,
  });
}

describeDatabases("dumps from a server", ({ fresh }) => {
  test("a dump in one answer has the same files as a dump of the database", async () => {
    const database = await fresh();
    await indexed(database, 2, 3, 4);
    const [sent, direct] = [testFolder(), testFolder()];
    const report = await receiveDump(openDumpFiles(sent), serverOf(database, usual));
    expect(report).toEqual(await writeDump(database, openDumpFiles(direct), deployment));
    const contents = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
        .map(({ parentPath, name }) => [
          join(parentPath, name).slice(folder.length),
          readFileSync(join(parentPath, name)).toString("hex"),
        ])
        .sort();
    expect(contents(sent)).toEqual(contents(direct));
  });

  test("a dump in many answers, between which blocks are indexed, is of the last moment", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3, 4);
    let block = 4;
    const server: TestServer = serverOf(database, small, async (request) => {
      const hasTokens = (server.asked.at(-1)?.tables.get("Token")?.maxVid ?? -1n) >= 0n;
      if ((request === 2 || hasTokens) && block < 8) await indexed(database, ++block);
    });
    const report = await receiveDump(files, server);
    expect(report.head).toBe(8);
    expect(server.asked.length).toBeGreaterThan(5);
    expect(report.tables.reduce((sum, { clamps }) => sum + clamps, 0)).toBeGreaterThan(0);
    await expectSame(database, files);
  });

  test("a received dump is added to by both kinds of commands", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3);
    await receiveDump(files, serverOf(database, usual));
    await expect(receiveDump(files, serverOf(database, usual))).rejects.toThrow(
      /already has all blocks, up to 3/,
    );
    await indexed(database, 4);
    const report = await receiveDump(files, serverOf(database, usual));
    expect(report).toMatchObject({ head: 4, previous: 3 });
    await indexed(database, 5);
    await writeDump(database, files, deployment);
    await indexed(database, 6);
    expect(await receiveDump(files, serverOf(database, small))).toMatchObject({ head: 6, previous: 5 });
    await expectSame(database, files);
  });

  test("a command that was killed at any file continues, and gets no file twice", async () => {
    const database = await fresh();
    const folder = testFolder();
    const files = openDumpFiles(folder);
    await indexed(database, 2, 3, 4);
    let kills = 0;
    let farthest = 0n;
    for (; kills < 1000; kills += 1) {
      const server = serverOf(database, usual);
      const killed = await receiveDump(killedAt(files, 3 + (kills % 9)), server).then(
        () => undefined,
        (error: Error) => error.message,
      );
      const has = [...(server.asked[0]?.tables.values() ?? [])].reduce(
        (sum, { maxVid }) => sum + (maxVid < 0n ? 0n : maxVid),
        0n,
      );
      expect(has).toBeGreaterThanOrEqual(farthest);
      farthest = has;
      if (killed === undefined) break;
      expect(killed).toBe("killed");
      // Nothing but the memory of how far it has come was left to remove.
      if (existsSync(join(folder, "metadata.json"))) break;
      if (kills === 12) await indexed(database, 5);
      await expect(restoreDump(database, files, { replace: true })).rejects.toThrow(/has no metadata.json/);
    }
    expect(kills).toBeGreaterThan(3);
    expect(farthest).toBeGreaterThan(0n);
    await expectSame(database, files);
  });

  test("an interrupted dump starts over if the chain has replaced its blocks, and a complete one is left alone", async () => {
    const database = await fresh();
    const folder = testFolder();
    const files = openDumpFiles(folder);
    await indexed(database, 2, 3, 4);
    let restarts = 0;
    const server = serverOf(database, small, async (request) => {
      if (request !== 3) return;
      const store = await openOwn(database);
      await store.revert(blockAt(3));
      await indexed(database, 5, 6);
    });
    await receiveDump(files, server, { onRestart: () => (restarts += 1) });
    expect(restarts).toBe(1);
    await expectSame(database, files);

    const store = await openOwn(database);
    await store.revert(blockAt(5));
    await indexed(database, 7);
    await expect(receiveDump(files, serverOf(database, usual))).rejects.toThrow(
      /is of block 6, and the chain has replaced this block/,
    );
    expect(JSON.parse(readFileSync(join(folder, "metadata.json"), "utf8"))).toMatchObject({
      head_block: { number: 6 },
    });
  });

  test("answers of a large dump leave out blocks that the chain may replace, until the last one", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3, 300);
    const server = serverOf(database, small);
    await receiveDump(files, server);
    expect(server.asked.slice(1, -1).map(({ head }) => head?.number)).toContain(3);
    await expectSame(database, files);
  });

  test("what is not as the server says is refused: rows, files, and the proof of indexing", async () => {
    const database = await fresh();
    await indexed(database, 2, 3);
    const dumping = (change: (part: DumpPart) => DumpPart): Promise<unknown> =>
      receiveDump(openDumpFiles(testFolder()), serverOf(database, usual, undefined, change));
    await expect(
      dumping((part) => (part.kind === "whole" ? { ...part, digest: "00" } : part)),
    ).rejects.toThrow(/chunk_000000.parquet has changed on its way/);
    await expect(
      dumping((part) => (part.kind === "whole" ? { ...part, rows: part.rows + 1 } : part)),
    ).rejects.toThrow(/rows in the folder, and/);
    await expect(
      dumping((part) => {
        if (part.kind !== "begin") return part;
        const own = part.metadata.own && { ...part.metadata.own, proof: `0x${"1".repeat(64)}` };
        return { ...part, metadata: { ...part.metadata, own } };
      }),
    ).rejects.toThrow(/the proof of indexing of its rows is 0x\w{64}, and that of the dump was 0x1111/);
    await expect(
      dumping((part) => (part.kind === "file" ? { ...part, table: "../../out" } : part)),
    ).rejects.toThrow(/not in the order of a dump/);
    const endless = serverOf(database, usual, undefined, (part) =>
      part.kind === "begin" ? part : { kind: "end", at: undefined },
    );
    await expect(receiveDump(openDumpFiles(testFolder()), endless)).rejects.toThrow(/not in the order/);
    const noise: DumpServer = {
      async *ask() {
        yield Buffer.from("<html>no dump</html>");
      },
      mayPass: async () => false,
    };
    await expect(receiveDump(openDumpFiles(testFolder()), noise)).rejects.toThrow(/is not a dump/);
  });

  test("a damaged file of an interrupted dump is found, and the next command starts over", async () => {
    const database = await fresh();
    const folder = testFolder();
    const files = openDumpFiles(folder);
    await indexed(database, 2, 3);
    await expect(receiveDump(killedAt(files, 12), serverOf(database, usual))).rejects.toThrow("killed");
    const [file = ""] = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".parquet"));
    writeFileSync(join(folder, file), readFileSync(join(folder, file)).fill(0, 20, 40));
    await expect(receiveDump(files, serverOf(database, usual))).rejects.toThrow(file);
    await receiveDump(files, serverOf(database, usual));
    await dropDeployment(database, deployment);
    await restoreDump(database, files, { replace: false });
    expect(await database.query(SQL`select head_number from graphloom.deployments`)).toEqual([
      { head_number: "3" },
    ]);
  });
});
