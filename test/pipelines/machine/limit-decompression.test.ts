import zlib from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { kafkaErrorOf } from "../../../src/pipelines/machine/kafka/kafka-errors.js";
import {
  ExpandedError,
  limitDecompression,
} from "../../../src/pipelines/machine/kafka/limit-decompression.js";
import { kafkaMissing, loadTestKafka } from "../../support/servers/kafka-client.js";

/** What the client does when it sends and receives records. */
interface Records {
  createRecordsBatch(messages: readonly object[], options: object): { readonly buffer: Buffer };
  readRecordsBatches(reader: unknown): readonly { readonly records: readonly { readonly value: Buffer }[] }[];
  readonly Reader: { from(bytes: Buffer): unknown };
}

const limit = 100_000;

describe.skipIf(kafkaMissing !== undefined)("compressed records", () => {
  let undo = (): void => undefined;
  afterEach(() => undo());

  /** Writes batches of a topic with the client, and reads them with its limits. */
  async function read(compression: string, sizes: readonly number[]): Promise<readonly number[]> {
    const module = await loadTestKafka();
    undo = limitDecompression(module, limit);
    const client = module as unknown as Records;
    const batches = sizes.map(
      (size) =>
        client.createRecordsBatch([{ topic: "t", partition: 0, value: Buffer.alloc(size, "a") }], {
          compression,
        }).buffer,
    );
    const found = client.readRecordsBatches(client.Reader.from(Buffer.concat(batches)));
    return found.flatMap(({ records }) => records.map(({ value }) => value.length));
  }

  it.each([
    "gzip",
    "snappy",
    "lz4",
    ...("zstdDecompressSync" in zlib ? ["zstd"] : []),
  ])("are read up to a size, and refused above it, also in several batches: %s", async (compression) => {
    expect(await read(compression, [50_000, 40_000])).toEqual([50_000, 40_000]);
    // The answer before does not count.
    expect(await read(compression, [90_000])).toEqual([90_000]);
    for (const sizes of [[110_000], [60_000, 60_000], [30_000_000]]) {
      const error = await read(compression, sizes).catch((thrown: unknown) => thrown);
      expect(error, String(sizes)).toBeInstanceOf(ExpandedError);
      expect(kafkaErrorOf(new Error("client", { cause: error }))).toBe(error);
    }
  });
});
