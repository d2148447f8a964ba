import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { S3Bucket } from "../../../src/pipelines/sinks/s3/s3-bucket.js";
import { S3Files } from "../../../src/pipelines/sinks/s3/s3-files.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import type { Outgoing } from "../../../src/web/outgoing/outgoing.js";
import { OutgoingError } from "../../../src/web/outgoing/outgoing-error.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import {
  earlierContents,
  earlierObjects,
  expectSinkContinued,
} from "../../support/pipelines/earlier-state.js";
import { expectAuditedFiles } from "../../support/pipelines/expect-audited-files.js";
import { type Cut, expectLaw } from "../../support/pipelines/expect-law.js";
import { writeFinal } from "../../support/pipelines/final-rounds.js";
import { isLawCampaign, lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import { ledgersOfFiles, rowsOfFiles } from "../../support/pipelines/law/window-files.js";
import { type LawDefinition, sinkDefinition } from "../../support/pipelines/law-pipeline.js";
import { located, locatedText } from "../../support/pipelines/located.js";
import { openedS3, type TestBucket, testBucket, testOutgoing } from "../../support/pipelines/opened-s3.js";
import { thisRun } from "../../support/pipelines/other-run.js";
import { playedRounds } from "../../support/pipelines/played-rounds.js";
import { finalBlocks, rowsOfBlocks } from "../../support/pipelines/played-source.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { type S3Server, s3Missing, startS3 } from "../../support/servers/s3.js";

/** The sentence about another run, which is of this process. */
const otherRun = new RegExp(`^Another run writes this sink${thisRun.source}`);

describe.skipIf(s3Missing !== undefined)(`a bucket as a sink${s3Missing ? `: ${s3Missing}` : ""}`, () => {
  let server: S3Server;
  let made = 0;
  beforeAll(async () => {
    if (s3Missing === undefined) server = await startS3();
  });
  afterAll(async () => {
    await server?.stop();
  });

  /** An empty bucket. */
  function emptied(): TestBucket {
    made += 1;
    const bucket = `bucket-${made}`;
    server.makeBucket(bucket);
    return { url: server.url, bucket, keyId: server.key.id, secret: server.key.secret };
  }

  /** The folder whose files are the objects of a bucket. */
  const folderOf = ({ bucket }: TestBucket): string => join(server.folder, bucket);

  const secretOf = ({ keyId, secret }: TestBucket): string =>
    JSON.stringify({ type: "s3", accessKeyId: keyId, secretAccessKey: secret });

  function definition(bucket = ""): LawDefinition {
    const place = { endpoint: server.url, bucket, prefix: "rows of a", secret_name: "S3" };
    return { type: "s3_sink", settings: { ...place, finalized: true, blocks_per_file: 7 } };
  }

  /** Requests that fail sometimes: before the server has them, or after. */
  function cutting(outgoing: Pick<Outgoing, "send">, cut: Cut): Pick<Outgoing, "send"> {
    return {
      send: async (request) => {
        cut();
        const answer = await outgoing.send(request);
        cut();
        return answer;
      },
    };
  }

  it("holds the rows of final blocks once, through failures", { tags: "law" }, async () => {
    let at: TestBucket;
    await expectLaw(
      {
        empty: async () => {
          at = emptied();
        },
        open: async ({ sink, owner }, cut) => {
          const world = killedWorld("", { S3: secretOf(at) });
          const outgoing = cutting(testOutgoing, cut);
          const here = { ...sink, definition: sinkDefinition(definition(at.bucket)) };
          return openSink(here, owner, { ...world, outgoing });
        },
        rows: () => rowsOfFiles(folderOf(at)),
        ledger: () => ledgersOfFiles(folderOf(at)),
      },
      lawSeeds(1),
      definition(),
    );
  });

  it("continues from the state that version 0.1.0 wrote", async () => {
    const at = emptied();
    for (const [path, content] of Object.entries(await earlierContents("s3-0.1.0.json"))) {
      mkdirSync(dirname(join(folderOf(at), path)), { recursive: true });
      writeFileSync(join(folderOf(at), path), content);
    }
    const { settings } = definition(at.bucket);
    const world = { ...sinkWorld({ folder: "", secrets: { S3: secretOf(at) } }), outgoing: testOutgoing };
    const sink = { type: "s3_sink", settings: { ...settings, prefix: "rows", blocks_per_file: 10 }, world };
    await expectSinkContinued(sink, earlierObjects);
    const rows = await rowsOfFiles(folderOf(at));
    expect(rows.map(({ id }) => id).sort()).toEqual(["a", "b", "c"]);
  });

  // The suite has no time for them.
  describe.runIf(isLawCampaign)("in a campaign", () => {
    const kinds = [
      ["objects", {}, false],
      ["partitions", { partition_columns: "who" }, true],
    ] as const;

    it.each(kinds)("holds the rows of final blocks once, in %s, when its writer is killed", {
      tags: "law",
    }, async (...kind) => {
      const [, more, arePartitioned] = kind;
      await expectLawOfKilled(async () => {
        const at = emptied();
        const { type, settings } = definition(at.bucket);
        return {
          definition: { type, settings: { ...settings, ...more } },
          secrets: { S3: secretOf(at) },
          folder: "",
          rows: () => rowsOfFiles(folderOf(at), arePartitioned),
          ledger: () => ledgersOfFiles(folderOf(at), arePartitioned),
        };
      });
    });
  });

  it("completes partition objects that another writer has begun, which stops that writer", async () => {
    const at = emptied();
    const chain = playedRounds(6);
    // Its fourth object is not answered, whether it has arrived or not.
    let written = 0;
    const outgoing: Pick<Outgoing, "send"> = {
      send: async (request) => {
        const answer = await testOutgoing.send(request);
        written += request.method === "PUT" ? 1 : 0;
        if (request.method === "PUT" && written === 4) throw new OutgoingError("cut", "no answer");
        return answer;
      },
    };
    const open = (bucket = testBucket(at)): Promise<Sink> => openedS3(bucket, "rows of a/", ["who"]);
    await expect(writeFinal(chain, await open(testBucket(at, { outgoing })))).rejects.toThrow("no answer");
    const late = await open();
    await writeFinal(chain, await open());
    await expect(writeFinal(playedRounds(8), late)).rejects.toThrow(otherRun);
    const rows = await readWithDuckDb(join(folderOf(at), "**/*.parquet"), true);
    const ids = (of: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
      of.map(({ id, who }) => `${id} ${who}`).sort();
    expect(ids(rows)).toEqual(ids(rowsOfBlocks(finalBlocks(chain))));
  });

  it("INV-P3: stops a second writer, of the same windows and of others", async () => {
    const at = emptied();
    const chain = playedRounds(6);
    const opened = async (): Promise<Sink> => openedS3(testBucket(at));
    const early = await opened();
    await writeFinal(chain, await opened());
    await expect(writeFinal(chain, early)).rejects.toThrow(otherRun);
    const late = await opened();
    const longer = playedRounds(8);
    await writeFinal(longer, await opened());
    await expect(writeFinal(longer, late)).rejects.toThrow(otherRun);
    const rows = await readWithDuckDb(join(folderOf(at), "**/*.parquet"));
    expect(rows.map(({ id }) => id)).toEqual(rowsOfBlocks(finalBlocks(longer)).map(({ id }) => id));
  });

  /** Of the moments at which a test disturbs a writer, each such one. The suite has no time for all of them. */
  const everyOther = isLawCampaign ? 1 : 2;
  const everyThird = isLawCampaign ? 1 : 3;

  /** Conditions of writes, as services have them that do not ignore them. */
  function honoring(outgoing: Pick<Outgoing, "send">): Pick<Outgoing, "send"> {
    return {
      send: async (request) => {
        const { "if-none-match": absent, "if-match": same } = request.headers ?? {};
        if (request.method !== "PUT" || (absent === undefined && same === undefined))
          return outgoing.send(request);
        const path = join(server.folder, decodeURIComponent(new URL(request.url).pathname));
        const there = existsSync(path)
          ? `"${createHash("md5").update(readFileSync(path)).digest("hex")}"`
          : undefined;
        const isMet = absent === undefined ? there === same : there === undefined;
        return isMet
          ? outgoing.send(request)
          : { status: 412, headers: {}, body: Buffer.from("<Error><Code>PreconditionFailed</Code></Error>") };
      },
    };
  }

  describe.each([
    ["honors", honoring],
    ["ignores", (outgoing: Pick<Outgoing, "send">) => outgoing],
  ] as const)("of a service that %s conditions of writes", (kind, through) => {
    const chain = playedRounds(3);
    const rowsIn = async (at: TestBucket, partitions: readonly string[]): Promise<readonly string[]> => {
      const rows = await readWithDuckDb(join(folderOf(at), "**/*.parquet"), partitions.length > 0);
      return rows.map(({ id, who }) => `${id} ${who}`).sort();
    };
    const write = async (
      at: TestBucket,
      partitions: readonly string[],
      blocks: number,
      outgoing = through(testOutgoing),
    ): Promise<void> => {
      const bucket = testBucket(at, { outgoing });
      await writeFinal(chain, await openedS3(bucket, "rows of a/", partitions, blocks));
    };

    const layouts: readonly (readonly [string, readonly string[]])[] = [
      ["an object", []],
      ["partitions", ["who"]],
    ];
    it.each(
      kind === "honors" ? layouts : layouts.slice(0, 1),
    )("never holds a row twice unnoticed when a second writer takes over: windows of %s", async (_, partitions) => {
      const expected = rowsOfBlocks(finalBlocks(chain))
        .map(({ id, who }) => `${id} ${who}`)
        .sort();
      for (let pausedAt = 1; ; pausedAt += everyOther) {
        const at = emptied();
        // The first writer stands still just before one of its writes, until the second one has ended.
        let writes = 0;
        const pausing: Pick<Outgoing, "send"> = {
          send: async (request) => {
            writes += request.method === "PUT" ? 1 : 0;
            if (request.method === "PUT" && writes === pausedAt)
              await write(at, partitions, 5).catch(() => undefined);
            return through(testOutgoing).send(request);
          },
        };
        const first = await write(at, partitions, 12, pausing).catch((error: unknown) => error);
        if (writes < pausedAt) {
          expect(pausedAt).toBeGreaterThan(6);
          break;
        }
        const third = await write(at, partitions, 7).catch((error: unknown) => error);
        const rows = await rowsIn(at, partitions);
        if (kind === "honors") expect([pausedAt, third, ...rows]).toEqual([pausedAt, undefined, ...expected]);
        // What cannot be prevented is at least said.
        else if (rows.join() !== expected.join())
          expect([pausedAt, first]).toEqual([pausedAt, expect.any(SinkError)]);
      }
    });
  });

  it("finds each row of objects that was deleted, altered, doubled or added, and repairs only these objects", async () => {
    await expectAuditedFiles([4], () => {
      const at = emptied();
      const settings = {
        endpoint: locatedText(at.url),
        bucket: locatedText(at.bucket),
        blocks_per_file: located(7),
        secret_name: locatedText("KEY"),
      };
      return {
        definition: { type: "s3_sink", name: locatedText("out"), settings },
        folder: join(server.folder, at.bucket),
        world: {
          secret: () => JSON.stringify({ accessKeyId: at.keyId, secretAccessKey: at.secret }),
          outgoing: testOutgoing,
          clock: createNodeWorld(),
        },
        damage: async (path, content) => {
          rmSync(join(server.folder, at.bucket, path));
          if (content) await testBucket(at).write(path, content, { kind: "absent" });
        },
      };
    });
  });

  it("reads listings of several pages, with any names", async () => {
    const at = emptied();
    const names = Array.from({ length: 1_100 }, (_, index) => `p/${String(index).padStart(5, "0")}`);
    const odd = ["p/a b+c%20&<>'\"!()*ä😀", "p/sub/x"];
    await testBucket(at).write("p/sub/x", Buffer.from("x"), { kind: "absent" });
    for (const name of names) writeFileSync(join(server.folder, at.bucket, name), "");
    await testBucket(at).write(odd[0] ?? "", Buffer.from("odd"), { kind: "absent" });
    expect(await testBucket(at).list("p/")).toEqual([...names, ...odd].sort());
    expect((await testBucket(at).read(odd[0] ?? ""))?.text).toBe("odd");
    expect(await testBucket(at).list("p/", "p/01098")).toEqual(["p/01099", ...odd].sort());
    expect(await testBucket(at).list("none/")).toEqual([]);
  });

  it("reads the bytes of objects of any size, all or the last", async () => {
    const bucket = testBucket(emptied());
    const large = Buffer.alloc(9 * 1024 * 1024, "0123456789a");
    await bucket.write("large", large, { kind: "absent" });
    await bucket.write("empty", Buffer.alloc(0), { kind: "absent" });
    expect(Buffer.compare((await bucket.bytes("large"))?.bytes ?? Buffer.alloc(0), large)).toBe(0);
    expect((await bucket.bytes("large", 10))?.bytes).toEqual(large.subarray(-10));
    expect((await bucket.bytes("empty"))?.bytes).toHaveLength(0);
    expect(await bucket.bytes("none")).toBeUndefined();
  });

  describe("an object of several parts", () => {
    const path = "rows/000000000000-000000000006.parquet";
    const key = `p/${path}`;
    const large = Buffer.alloc(9_000_000, "0123456789a");

    async function* pieces(fails = false): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < large.length; from += 3_000_000) yield large.subarray(from, from + 3_000_000);
      if (fails) throw new Error("the test has no more rows");
    }

    /** Uploads that are neither completed nor given up. */
    async function uploads(bucket: S3Bucket): Promise<readonly string[]> {
      const kept: string[] = [];
      await bucket.abortUploads("", (found) => {
        kept.push(found);
        return false;
      });
      return kept;
    }

    async function expectWhole(bucket: S3Bucket): Promise<void> {
      expect(Buffer.compare((await bucket.bytes(key))?.bytes ?? Buffer.alloc(0), large)).toBe(0);
      expect(await uploads(bucket)).toEqual([]);
    }

    it("is sent in parts of 8 MB, exists once, and is replaced by a writer that has read it", async () => {
      const at = emptied();
      const sizes: number[] = [];
      const outgoing: Pick<Outgoing, "send"> = {
        send: (request) => {
          sizes.push(request.body?.length ?? 0);
          return testOutgoing.send(request);
        },
      };
      const files = new S3Files(testBucket(at, { outgoing }), "p/");
      await files.write(path, pieces());
      expect(Math.max(...sizes)).toBe(8 * 1024 * 1024);
      await expectWhole(testBucket(at));
      await files.write(path, pieces());
      await expectWhole(testBucket(at));
      await expect(new S3Files(testBucket(at), "p/").write(path, pieces())).rejects.toThrow(
        "Another run writes this sink.",
      );
      expect(await uploads(testBucket(at))).toEqual([]);
    });

    it("is given up when its rows end in a failure", async () => {
      const bucket = testBucket(emptied());
      await expect(new S3Files(bucket, "p/").write(path, pieces(true))).rejects.toThrow(
        "the test has no more rows",
      );
      expect(await uploads(bucket)).toEqual([]);
      expect(await bucket.read(key)).toBeUndefined();
    });

    it("is complete or absent after its requests are cut off at any point, and the next start aborts the rest", async () => {
      for (let cutAt = 1; ; cutAt += everyThird) {
        const at = emptied();
        let count = 0;
        const send: Outgoing["send"] = async (request) => {
          count += 1;
          // Every other round cuts before the server has the request.
          if (count >= cutAt && cutAt % 2 === 1) throw new SinkError("cut", true);
          const answer = await testOutgoing.send(request);
          if (count >= cutAt) throw new SinkError("cut", true);
          return answer;
        };
        const cut = new S3Files(testBucket(at, { outgoing: { send } }), "p/");
        const isCut = await cut.write(path, pieces()).then(
          () => false,
          () => true,
        );
        const bucket = testBucket(at);
        const files = new S3Files(bucket, "p/");
        await files.lock();
        expect(await uploads(bucket)).toEqual([]);
        // Only the last request of a write may have been carried out.
        if ((await files.list()).includes(path)) await expectWhole(bucket);
        else expect(isCut).toBe(true);
        if (!isCut) break;
      }
    });

    it("stops a writer when another one takes over", async () => {
      const at = emptied();
      async function* followed(): AsyncGenerator<Uint8Array> {
        yield large.subarray(0, 8_900_000);
        await new S3Files(testBucket(at), "p/").lock();
        yield large.subarray(8_900_000);
      }
      await expect(new S3Files(testBucket(at), "p/").write(path, followed())).rejects.toThrow(
        "Another run writes this sink.",
      );
      expect(await testBucket(at).list("p/")).toEqual([]);
    });

    it("leaves uploads of other programs in place", async () => {
      const at = emptied();
      const gone = { send: () => Promise.reject(new SinkError("cut", true)) };
      let isCut = false;
      const send: Outgoing["send"] = (request) => (isCut ? gone.send() : testOutgoing.send(request));
      const other = testBucket(at, { outgoing: { send } });
      async function* interrupted(): AsyncGenerator<Uint8Array> {
        yield large.subarray(0, 5_000_000);
        isCut = true;
        yield large.subarray(5_000_000, 6_000_000);
      }
      await expect(other.writeParts("p/film.mp4", interrupted(), { kind: "absent" })).rejects.toThrow("cut");
      await new S3Files(testBucket(at), "p/").lock();
      expect(await uploads(testBucket(at))).toEqual(["p/film.mp4"]);
    });
  });

  it("reports what is wrong with the bucket, the key, the region and existing objects", async () => {
    const at = emptied();
    await expect(openedS3(testBucket(at, { bucket: "no-bucket" }))).rejects.toThrow(
      "There is no bucket no-bucket. Create it.",
    );
    await expect(openedS3(testBucket({ ...at, secret: "wrong" }))).rejects.toMatchObject({
      message: expect.stringContaining("The S3 service answers with status 403: SignatureDoesNotMatch"),
      isTemporary: false,
    });
    await expect(openedS3(testBucket({ ...at, url: "http://127.0.0.1:1" }))).rejects.toMatchObject({
      isTemporary: true,
    });
    await testBucket(at).write("rows of a/notes.txt", Buffer.from("x"), { kind: "absent" });
    await expect(openedS3(testBucket(at))).rejects.toThrow(
      "The prefix holds a file that this pipeline has not written: notes.txt. Choose another prefix.",
    );
  });
});
