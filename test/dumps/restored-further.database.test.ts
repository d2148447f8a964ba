import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import type { Chain } from "../../src/runtime/chain/chain.js";
import { run } from "../../src/runtime/run-subgraph.js";
import { openDeployment } from "../../src/store/deployments/deployments.js";
import { newDeployment } from "../../src/store/deployments/new-deployment.js";
import { openStore } from "../../src/store/entities/open-store.js";
import { manifestPath } from "../../src/subgraph/build.js";
import type { BuiltFiles } from "../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../src/subgraph/runnable/read-runnable.js";
import { playBlocks } from "../../src/testing/json/play-blocks.js";
import { encodeLog } from "../support/chain/encode-log.js";
import { givenChain } from "../support/chain/given-chain.js";
import { onPglite } from "../support/database/databases.js";
import { testFolder } from "../support/folder.js";
import { deployments, differing, dumpNamed, kinds, recorded, recordings } from "./dump-tests.js";

/** The files that the manifest names by their hashes. */
const fileNames: Readonly<Record<string, string>> = {
  QmVjDn86DjMUQCPvGWeAMG1qY6Cy8SDUkGS3bhCo19sUsc: "A.json",
  Qmcvqec97nUyzccgoVqqoSG5buiyr7FeGr8E8GifXxtUJf: "m.wasm",
  QmePXfUDap6s4SgyH5hEhTCimxkoFsUF8zCZavqMpYynTY: "schema.graphql",
};

/** The blocks after the oldest dump of `kinds`, from its last one on, and the build that indexes them. */
const further = readFurther();

function readFurther(): { readonly chain: Chain; readonly files: BuiltFiles } {
  const { address, abi, blocks, module } = JSON.parse(
    readFileSync(join(recordings, "further.json"), "utf8"),
  ) as {
    readonly address: string;
    readonly abi: object;
    readonly blocks: readonly {
      readonly number: number;
      readonly hash: string;
      readonly timestamp: number;
      readonly events: readonly (readonly [op: string, id: string, n: string, b: string])[];
    }[];
    readonly module: string;
  };
  const none = { events: [], ethCalls: [], getBalanceCalls: [], hasCodeCalls: [] };
  const mocked = blocks.map(({ number, hash, timestamp }) => ({
    ...none,
    number: BigInt(number),
    hash,
    timestamp: BigInt(timestamp),
  }));
  const given = playBlocks({ blocks: mocked }, 0).blocks.map(({ block }, at) => {
    const logs = (blocks[at]?.events ?? []).map((event, index) => ({
      ...encodeLog(["event E(string op, string id, int256 n, bytes b)"], "E", event),
      address,
      block: { number: block.number, hash: block.hash },
      transactionHash: `0x${String(index + 1).padStart(64, "0")}`,
      transactionIndex: index,
      logIndex: index,
      removed: false,
    }));
    const zero = { value: 0n, gasLimit: 0n, gasPrice: 0n, nonce: 0n };
    const transactions = logs.map(
      ({ transactionHash, transactionIndex: index }) =>
        [
          transactionHash,
          { hash: transactionHash, index, from: address, to: address, input: "0x", ...zero },
        ] as const,
    );
    return { block: { ...block, transactions: new Map(transactions) }, logs };
  });
  const manifest = readFileSync(join(recorded, "subgraph.yaml"), "utf8").replace(
    /file:\s+\/: \/ipfs\/(\w+)/g,
    (_, hash: string) => `file: ${fileNames[hash]}`,
  );
  return {
    chain: givenChain(given),
    files: {
      manifest: manifestPath,
      files: new Map<string, string | Uint8Array>([
        [manifestPath, manifest],
        ["schema.graphql", readFileSync(join(recorded, "schema.graphql"), "utf8")],
        ["A.json", JSON.stringify(abi)],
        ["m.wasm", inflateSync(Buffer.from(module, "base64"))],
      ]),
    },
  };
}

test("a restored deployment is indexed further to the rows that graph-node has", async () => {
  const database = await onPglite().fresh();
  const files = openDumpFiles(dumpNamed("kinds-1"));
  await restoreDump(database, files, { replace: false });
  const built = readRunnable(further.files);
  const deployment = await openDeployment(database, newDeployment(built, kinds));
  const store = openStore(database, deployment, built);
  const { failure, progress } = await run(built, further.chain, store, {
    verify: "off",
    beginsBefore: true,
  });
  expect(failure).toBeUndefined();
  expect(progress.block).toBe(23);
  // graph-node also gives numbers to entities that a handler sets in vain. The order of rows is the same.
  expect(await differing(database, "kinds-3", ({ vid: _, ...row }) => row)).toEqual([]);
});

test("what was restored is dumped again with the same rows, facts and last vids", async () => {
  const database = await onPglite().fresh();
  for (const dump of ["kinds-3", "failed", "grafted"] as const) {
    const first = openDumpFiles(dumpNamed(dump));
    await restoreDump(database, first, { replace: false });
    const again = openDumpFiles(join(testFolder(), "again"));
    await writeDump(database, again, deployments[dump]);
    const [wanted, { metadata }] = [(await judgeDump(first)).metadata, await judgeDump(again)];
    const { earliestBlock, head, entityCount, graftBase, graftBlock } = metadata;
    expect({ earliestBlock, head, entityCount, graftBase }, dump).toEqual({
      earliestBlock: wanted.earliestBlock,
      head: wanted.head,
      // graph-node has counted an entity of this graft twice.
      entityCount: wanted.entityCount - (dump === "grafted" ? 1 : 0),
      graftBase: wanted.graftBase,
    });
    expect(graftBlock).toEqual(wanted.graftBlock);
    const lasts = ({ tables }: typeof metadata): unknown =>
      [...tables].map(([type, { maxVid }]) => [type, maxVid]);
    expect(lasts(metadata), dump).toEqual(lasts(wanted));
    await restoreDump(database, again, { replace: true });
    expect(await differing(database, dump), dump).toEqual([]);
  }
});
