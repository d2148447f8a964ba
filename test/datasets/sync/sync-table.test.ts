import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { extract } from "../../../src/datasets/extract/extract.js";
import type { ExtractionSource } from "../../../src/datasets/extract/extraction.js";
import { chainWindows } from "../../../src/datasets/sync/chain-windows.js";
import { syncTable } from "../../../src/datasets/sync/sync-table.js";
import type { TableFiles } from "../../../src/datasets/sync/table-files.js";
import { rowSize } from "../../../src/datasets/tables/row-size.js";
import { ReorgError } from "../../../src/runtime/chain/chain.js";
import { Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { denseNode, hashOf } from "../../support/chain/dense-node.js";

const mebibyte = 1024 * 1024;

function sourceOf(node: RpcClient): ExtractionSource {
  const patience = new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5 });
  return { chain: createPatientChain(createRpcChain(node), patience), verification: new Verification("off") };
}

/** Files in memory, which tell of each piece when it is written. */
function filesIn(kept: Map<string, Uint8Array>, onPiece: (bytes: number) => void): TableFiles {
  return {
    read: async () => undefined,
    bytes: async (path) => kept.get(path),
    list: async () => [...kept.keys()],
    ends: async () => ({ size: 0, first: "", last: "" }),
    lock: async () => ({ kind: "ours", release: () => undefined }),
    remove: async (path) => void kept.delete(path),
    write: async (path, content) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content instanceof Uint8Array ? [content] : content) {
        pieces.push(piece);
        onPiece(piece.length);
      }
      kept.set(path, Buffer.concat(pieces));
    },
  };
}

describe("a window whose rows do not fit into memory", () => {
  const [blocks, logs] = [50, 200];

  it("is written in groups of rows that are bounded in bytes, while later blocks are read", async () => {
    const node = denseNode({ logsOf: () => logs, dataBytes: 10_000 });
    const whole = blocks * logs * 20_000;
    const kept = new Map<string, Uint8Array>();
    const toldAtPieces: number[] = [];
    const written = await syncTable(
      chainWindows(
        sourceOf(node),
        { kind: "raw_logs" },
        {
          newest: 10_000,
          onReorg: (error) => Promise.reject(error),
        },
      ),
      "raw_logs",
      { missing: [{ from: 0, to: blocks - 1, replaces: [] }], covered: [], present: 0 },
      filesIn(kept, () => toldAtPieces.push(node.told)),
      {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onFile: async () => undefined,
      },
    );
    expect(written.rows).toBe(blocks * logs);
    const [file] = kept.values();
    const { row_groups: groups, num_rows: rows } = parquetMetadata(file?.slice().buffer as ArrayBuffer);
    expect(Number(rows)).toBe(written.rows);
    const longest = Math.max(...groups.map((group) => Number(group.num_rows) * 20_000));
    expect(longest).toBeLessThan(40 * mebibyte);
    // Of what was told, all is written but one group and what four ranges have read ahead.
    toldAtPieces.slice(0, groups.length).forEach((told, piece) => {
      expect(told - piece * longest).toBeLessThan(110 * mebibyte);
    });
    expect(whole).toBeGreaterThan(180 * mebibyte);
  });
});

describe("the ranges of an extraction", () => {
  it("end early where blocks contain much, and follow each other without a gap", async () => {
    // Nothing for long, so that ranges have grown; then much.
    const node = denseNode({ logsOf: (block) => (block < 2_000 ? 0 : 100), dataBytes: 10_000 });
    const ranges: { from: number; to: number; bytes: number }[] = [];
    for await (const { from, to, rows } of extract(
      sourceOf(node),
      { kind: "raw_logs", from: 0, to: 2_079 },
      10_000,
    ))
      ranges.push({ from, to, bytes: rows.reduce((sum, row) => sum + rowSize(row), 0) });
    expect(ranges.map(({ from }) => from)).toEqual([0, ...ranges.slice(0, -1).map(({ to }) => to + 1)]);
    expect(ranges.at(-1)?.to).toBe(2_079);
    expect(Math.max(...ranges.map(({ from, to }) => to - from + 1))).toBeGreaterThan(500);
    // Each of four ranges may fetch its first dense blocks as it fetched those without logs; then it is known.
    expect(Math.max(...ranges.map(({ bytes }) => bytes))).toBeLessThan(70 * mebibyte);
    expect(ranges.filter(({ bytes }) => bytes > 16 * mebibyte).length).toBeLessThanOrEqual(4);
  });

  it("are refused when one does not follow the one before it", async () => {
    const node = denseNode({
      logsOf: () => 0,
      dataBytes: 0,
      parentOf: (block) => (block === 100 ? hashOf(999) : undefined),
    });
    const reading = async (): Promise<void> => {
      for await (const _ of extract(sourceOf(node), { kind: "raw_blocks", from: 0, to: 299 }, 10_000));
    };
    await expect(reading()).rejects.toThrow(new ReorgError("block 100 does not follow the block before it"));
  });
});
