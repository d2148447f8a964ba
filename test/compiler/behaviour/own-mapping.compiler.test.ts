import { describe, expect, it } from "vitest";
import { build, describe as describeConfig } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { findings } from "../pipeline/harness.js";
import { a, jsonAbi } from "./harness.js";
import { play } from "./play.js";

const schema = `"What a wallet holds."
type Holding @entity(immutable: false) {
  "The wallet."
  id: ID!
  amount: BigInt!
  last: Transfer
}
`;

const mapping = `import { Address, BigInt } from "@graphprotocol/graph-ts";
import { Transfer } from "../generated/Token/Token";
import { Holding } from "../generated/schema";
import { isInstance } from "./instances";

export function handleTransfer(event: Transfer): void {
  if (isInstance("Token", event.params.to)) return;
  add(event.params.from, event.params.value.neg(), event);
  add(event.params.to, event.params.value, event);
}

function add(wallet: Address, amount: BigInt, event: Transfer): void {
  let id = wallet.toHexString();
  let holding = Holding.load(id);
  if (holding === null) {
    holding = new Holding(id);
    holding.amount = BigInt.zero();
  }
  holding.amount = holding.amount.plus(amount);
  holding.last = \`\${event.transaction.hash.toHexString()}-\${event.logIndex.toString()}\`;
  holding.save();
}
`;

const transfer = "event Transfer(address from, address to, uint256 value)";
const handler = { handler: "handleTransfer" };

/** Files of a project whose transfers are handled by a mapping of its own. */
function project({ file = "holdings.ts", text = mapping, types = schema, on = handler as object } = {}) {
  const instance = (address: string) => ({
    abi: "Token",
    address,
    startBlock: 1,
    chain: "mainnet",
    enrich: { handlers: { Transfer: on } },
  });
  const config = {
    version: "1",
    name: "held/1.0.0",
    abis: { Token: jsonAbi([transfer]) },
    mapping: { file: `./${file}`, schema: "./holdings.graphql" },
    instances: [instance(a(1)), instance(a(2))],
  };
  return { "c.json": JSON.stringify(config, null, 2), [file]: text, "holdings.graphql": types };
}

describe("a user's own mapping", () => {
  it("is called last, reads and writes its entities, and knows the contracts of the configuration", async () => {
    const { ok, files } = await build("c.json", memoryHost(project()), { asc });
    expect(ok).toBe(true);
    const stored = await play(
      { files },
      [a(1), transfer, a(7), a(8), 5n],
      [a(2), transfer, a(8), a(9), 2n],
      // To a contract of the configuration.
      [a(2), transfer, a(8), a(1), 1n],
    );
    expect(stored).toMatchObject([
      { type: "Holding", amount: "-5", last: expect.stringMatching(/-3$/) },
      { type: "Holding", amount: "3", last: expect.stringMatching(/-4$/) },
      { type: "Holding", amount: "2", last: expect.stringMatching(/-4$/) },
      { type: "Transfer", value: "5" },
      { type: "Transfer", value: "2" },
      { type: "Transfer", value: "1" },
    ]);
  });

  it("keeps its text, and its descriptions in the schema", async () => {
    const { files } = await build("c.json", memoryHost(project()), { asc });
    expect(files.get("src/holdings.ts")).toBe(mapping);
    expect(files.get("schema.graphql")).toContain(schema);
    expect(files.get("subgraph.yaml")).toContain("        - Holding\n");
  });

  it("works beside an enrichment", async () => {
    const on = { entities: { Seen: { "by address": "event.params.from.toHexString()" } }, ...handler };
    const { files, ok } = await build("c.json", memoryHost(project({ on })), { asc });
    expect(ok).toBe(true);
    const stored = await play({ files }, [a(1), transfer, a(7), a(8), 5n]);
    expect(stored).toContainEqual(expect.objectContaining({ type: "Seen", by: a(7) }));
    expect(stored).toContainEqual(expect.objectContaining({ type: "Holding", amount: "5" }));
  });

  it.each([
    [
      "a class of no event",
      { text: mapping.replace("handleTransfer(event: Transfer)", "handleTransfer(event: Address)") },
      "mapping-rejected",
    ],
    ["a name that graphloom generates", { file: "token.ts" }, "mapping-unreadable"],
    [
      "a function that is not exported",
      { text: mapping.replace("export function", "function") },
      "unknown-mapping-handler",
    ],
    [
      "a function that graph-node lacks",
      { text: mapping.replace(".save();", ".save(); Date.now();") },
      "unavailable-function",
    ],
  ])("is refused for %s, and only then", async (_, change, code) => {
    const { diagnostics } = await findings("build", project(change));
    expect(new Set(diagnostics.map((one) => one.code))).toEqual(new Set([code]));
  });

  it("changes the indexed data when its text changes", async () => {
    const described = async (text: string) => {
      const { meaning } = await describeConfig("c.json", memoryHost(project({ text })));
      return meaning?.sources[0]?.triggers[0]?.stores.find(({ entity }) => entity === "Holding");
    };
    const [before, same, after] = await Promise.all([
      described(mapping),
      described(mapping),
      described(mapping.replace("plus", "minus")),
    ]);
    expect(before?.values).toEqual(same?.values);
    expect(before?.values).not.toEqual(after?.values);
  });
});
