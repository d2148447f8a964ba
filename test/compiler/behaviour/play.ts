import { EventFragment } from "ethers";
import { createMemoryStore, plainEntity, readBuilt, run } from "../../../src/exports/index.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { playedLogs } from "../diagnostics/played-chain.js";
import type { BuiltScenario } from "./harness.js";

/** An event in ethers' human readable form, emitted by an address. */
export type Emitted = readonly [address: string, event: string, ...args: unknown[]];

/**
 * Runs a build on a chain whose only transaction emitted these logs.
 * @returns the stored entities by type and id, each with `type` before its fields; or the message of a failed handler
 */
export async function play(
  { files }: Pick<BuiltScenario, "files">,
  ...emitted: readonly Emitted[]
): Promise<readonly object[] | string> {
  const built = readBuilt({ manifest: "build/subgraph.yaml", files });
  const store = createMemoryStore(built);
  const logs = emitted.map(([address, event, ...args]) => ({
    address,
    event: EventFragment.from(event),
    args,
  }));
  const { failure } = await run(built, playedLogs(1, logs), store);
  if (failure) return failure.error.message;
  const types = [...readEntitySchema(built.schema).types.keys()].sort();
  const stored = await Promise.all(
    types.map(async (type) =>
      (await store.all(type)).map((entity) => ({ type, ...withoutPlace(plainEntity(entity)) })),
    ),
  );
  return stored.flat();
}

/** The fields that describe the event, without the base fields that locate it. */
function withoutPlace(entity: object): object {
  const place = new Set(["id", "block_number", "timestamp_", "transactionHash_", "contractId_"]);
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !place.has(name)));
}
