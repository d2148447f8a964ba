import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { build, renderText } from "../../../src/exports/index.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { a, buildScenario, instance } from "./harness.js";
import { play } from "./play.js";

const file = new URL("../../support/corpus/made/comptroller.json", import.meta.url);
const abi = readFileSync(file, "utf8");
const failure = "event Failure(uint256, uint256, uint256)";

test("an event that an ABI lists four times is stored once", async () => {
  const config = {
    version: "1",
    name: "compound",
    enableCallHandlers: true,
    abis: { Comptroller: { path: "comptroller.json" } },
    instances: [
      instance("Comptroller", a(1), {
        Failure: { entities: { Seen: { "code uint256": "event.params.error" } } },
      }),
    ],
  };
  const host = memoryHost({ "subgraph.json": JSON.stringify(config), "comptroller.json": abi });
  const built = await build("subgraph.json", host, { asc });
  expect(built.ok, renderText(built.diagnostics)).toBe(true);
  const manifest = String(built.files.get("subgraph.yaml"));
  expect(manifest.match(/event: Failure/g)).toHaveLength(1);
  expect(manifest.match(/event: MarketListed/g)).toHaveLength(1);
  expect(manifest.match(/event: ActionPaused/g)).toHaveLength(2);
  expect(manifest.match(/function: _supportMarket/g)).toHaveLength(1);
  const schema = String(built.files.get("schema.graphql"));
  const types = [...schema.matchAll(/^type (\w+)/gm)].map(([, name]) => name);
  expect(types.filter((name) => /Failure|Market|Paused/.test(name ?? ""))).toEqual([
    "ActionPaused",
    "ActionPaused1",
    "Failure",
    "MarketEntered",
    "MarketListed",
    "_supportMarketCall",
  ]);
  expect(
    await play(built, [a(1), failure, 1n, 2n, 3n], [a(1), "event MarketListed(address market)", a(8)]),
  ).toMatchObject([
    { type: "Failure", error: "1", info: "2", detail: "3" },
    { type: "MarketListed", cToken: a(8) },
    { type: "Seen", code: "1" },
  ]);
});

test("events that differ in their indexed parameters are distinct", async () => {
  const built = await buildScenario({
    abis: { Vault: ["event F(uint256 x)", "event F(uint256 indexed x)"] },
    instances: [instance("Vault", a(1))],
  });
  expect(built.said.filter((line) => line.startsWith("repeated-entry"))).toEqual([]);
  expect(
    await play(built, [a(1), "event F(uint256 x)", 1n], [a(1), "event F(uint256 indexed x)", 2n]),
  ).toEqual([
    { type: "F", x: "1" },
    { type: "F1", x: "2" },
  ]);
});
