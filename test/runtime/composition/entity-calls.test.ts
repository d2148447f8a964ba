import { Interface } from "ethers";
import { expect, test } from "vitest";
import type { ContractRead } from "../../../src/runtime/chain/chain.js";
import { createRunner } from "../../../src/runtime/create-runner.js";
import { BlockCalls } from "../../../src/runtime/indexer/triggers/block-calls.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import type { Entity, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { filesOf, RecordedBranches, recorded } from "./recorded-compositions.js";

const owner = `0x${"ab".repeat(20)}`;
const token = `0x${"cd".repeat(20)}`;

/** Runs the handler of an entity that has a declared call. @returns the contract reads */
async function readsFor(entity: Entity): Promise<readonly ContractRead[]> {
  const built = readRunnable(
    filesOf("C1", (text) => {
      const manifest = JSON.parse(text);
      const { mapping } = manifest.dataSources[0];
      mapping.abis = [{ name: "A", file: "A.json" }];
      mapping.handlers = [
        { entity: "A", handler: "handleA", calls: { f: "A[entity.token].f(entity.owner)" } },
      ];
      return JSON.stringify(manifest);
    }),
  );
  const chain = new RecordedBranches(32);
  const asked: ContractRead[] = [];
  const read = async (_: unknown, reads: readonly ContractRead[]) => {
    asked.push(...reads);
    return reads.map(() => ({ kind: "reverted" }) as const);
  };
  const { sources, runner } = createRunner(built, {
    chain: { receipt: async () => undefined },
    store: new MemoryStore(built.entities),
    callsOf: (block) => new BlockCalls(Object.assign(new RecordedBranches(32), { read }), block),
    firstBlock: 0,
    triggersFor: async () => ({ logs: [], calls: [] }),
    finder: { files: undefined, patience: 0, pause: async () => undefined, chance: () => 0.5, now: () => 0 },
  });
  const [source] = sources.all;
  const block = await chain.block(25);
  if (!source || !block) throw new Error("there is a source and a block");
  const outcome = await runner.run(block, { logs: [], calls: [], entities: [{ source, type: "A", entity }] });
  expect(outcome.failure).toBeUndefined();
  return asked;
}

const id = ["id", { kind: "String", value: "x" } as StoreValue] as const;
const bytes = (value: string): StoreValue => ({ kind: "Bytes", value });

test("a call that is declared for an entity is made with the values of its fields", async () => {
  const data = new Interface(recorded.abi as never).encodeFunctionData("f", [owner]);
  const entity = new Map([id, ["owner", bytes(owner)], ["token", bytes(token)]]);
  expect(await readsFor(entity)).toEqual([{ address: token, data }]);
});

test.each<[string, Entity]>([
  ["the entity has no value for the field token", new Map([id])],
  ["the call target is not an address", new Map([id, ["token", bytes("0x01")]])],
  ["type mismatch for param 'a'", new Map([id, ["owner", bytes("0x01")], ["token", bytes(token)]])],
])("a call that is declared for an entity fails its block if %s", async (why, entity) => {
  await expect(readsFor(entity)).rejects.toThrow(why);
});
