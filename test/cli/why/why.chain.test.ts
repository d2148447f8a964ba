import { beforeEach, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "../run/chains.js";

const anvil = useAnvil();
let cwd: string;
let id: string;
beforeEach(async () => {
  const contract = await deployCounter(anvil());
  await anvil().send(contract, "count", [2]);
  cwd = workplace({ "c.json": counterConfig({ mainnet: contract }, "event.params.number") });
  const words = ["run", "c.json", "--rpc", anvil().url, "--database", "kept", "--output", "ndjson"];
  const { code, out } = await graphloom(cwd, [...words, "--entity", "Note"]);
  expect(code).toBe(0);
  id = String(JSON.parse(out.split("\n")[0] ?? "").entity.id);
});

const why = (...words: string[]) => graphloom(cwd, ["why", ...words]);

it("the history of an entity in a database has the block, the handler and its line", async () => {
  const told = await why("c.json", "Note", id, "--database", "kept");
  expect(told.err).toBe("");
  expect(told.code).toBe(0);
  expect(told.out).toContain(`Note ${id}, newest version first`);
  expect(told.out).toMatch(/^block \d+ /m);
  expect(told.out).toMatch(/written by handle\w+, for .* of .*c\.json:\d+/);
  const { code, out } = await why("c.json", "Note", id, "--database", "kept", "--output", "json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ entity: "Note", id, versions: [{ values: { id } }] });
});

it("a history that does not exist is refused in one sentence", async () => {
  const place = ["--database", "kept"];
  const cases = [
    [["c.json", "Note", "0xnone", ...place], "There is no Note with the id"],
    [["c.json", "Nothing", id, ...place], "has no entity type Nothing. It has "],
    [["other", "Note", id, ...place], "The database has no subgraph other."],
    [["c.json", "Note", id, ...place, "--chain", "base"], "is not on base. Its chains: mainnet."],
    [["c.json", "Note", id, ...place, "--before", "x"], "--before must be the number"],
    [["c.json", "Note", id, "--database", "nowhere"], "database"],
  ] as const;
  for (const [words, want] of cases) {
    const told = await why(...words);
    expect([words, told.err.includes(want), told.code === 0]).toEqual([words, true, false]);
    expect(told.out).toBe("");
  }
});
