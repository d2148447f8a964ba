import { EventFragment } from "ethers";
import { expect, test } from "vitest";
import { createMemoryStore, readBuilt, run } from "../../../src/exports/index.js";
import { a, buildScenario, instance } from "../../compiler/behaviour/harness.js";
import { playedLogs } from "../../compiler/diagnostics/played-chain.js";

const event = "event F(uint256 x)";
const other = "event F(uint256 indexed x)";

/** A manifest that lists a handler twice, which graphloom never generates. */
async function foreignBuild(handler: RegExp) {
  const { files } = await buildScenario({
    abis: { Vault: [event, other] },
    instances: [instance("Vault", a(1))],
  });
  const path = "build/subgraph.yaml";
  const manifest = String(files.get(path));
  const twice = manifest.replace(handler, (text) => text + text);
  expect(twice).not.toBe(manifest);
  return readBuilt({ manifest: path, files: new Map([...files, [path, twice]]) });
}

async function outcome(built: Awaited<ReturnType<typeof foreignBuild>>, emitted: string) {
  const logs = [{ address: a(1), event: EventFragment.from(emitted), args: [7n] }];
  const store = createMemoryStore(built);
  const { failure } = await run(built, playedLogs(1, logs), store);
  return { failure, stored: (await store.all("F")).length + (await store.all("F1")).length };
}

test("two handlers for one event fail at the first such log, as in graph-node", async () => {
  const built = await foreignBuild(/ +- event: F\(uint256\)\n.*\n/);
  const { failure, stored } = await outcome(built, event);
  expect(failure?.error.message).toBe(
    "Multiple handlers defined for event `F(uint256)`, only one is supported",
  );
  expect(failure).toMatchObject({ handler: "handleVaultF", source: "Vault", block: 1, logIndex: 3 });
  expect(stored).toBe(0);
});

test("two handlers for one event do not fail at a log that only one of them decodes", async () => {
  const built = await foreignBuild(/ +- event: F\(uint256\)\n.*\n/);
  expect(await outcome(built, other)).toEqual({ failure: undefined, stored: 1 });
});

test("two handlers for one event do not fail when topic filters separate them", async () => {
  const built = await foreignBuild(/ +- event: F\(indexed uint256\)\n.*\n/);
  const [source] = built.dataSources;
  const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;
  const eventHandlers = source?.eventHandlers.map((handler, at) =>
    handler.event.includes("indexed")
      ? { ...handler, topicFilters: [[word(at % 2 === 0 ? 7 : 8)]] }
      : handler,
  );
  const dataSources = source ? [{ ...source, eventHandlers: eventHandlers ?? [] }] : [];
  expect(await outcome({ ...built, dataSources }, other)).toEqual({ failure: undefined, stored: 1 });
});
