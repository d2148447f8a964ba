import { describe, expect, it } from "vitest";
import { event, fn } from "../abi/entries.js";
import { address, findings, run, withHandler, withHandlers } from "./harness.js";
import { instanceCases } from "./instance-cases.js";
import { resolveCases } from "./resolve-cases.js";
import { validateCases } from "./validate-cases.js";

const cases = [...validateCases, ...resolveCases, ...instanceCases];

describe("a wrong configuration", () => {
  it.each(cases.map((one) => [one.name, one] as const))("reports %s", async (_, { files, want }) => {
    const { ok, files: emitted, origins, model, found } = await findings("compile", files);
    expect(found).toEqual(want);
    const isWrong = want.some((line) => line.startsWith("error"));
    expect(ok).toBe(!isWrong);
    if (isWrong) expect([emitted.size, origins.size, model]).toEqual([0, 0, undefined]);
    else expect([...emitted.keys()]).toContain("subgraph.yaml");
  });
});

describe("a report", () => {
  it("is in source order, not in the order of the phases", async () => {
    const { found } = await findings(
      "compile",
      withHandlers({
        Withdraw: { entities: { A: { "a uint256": "event.params.amout", "b x": "1" } } },
        Deposit: { calls: { x: { name: "nope" }, y: { name: "total", depends_on: ["z"] } } },
        Nothing: {},
      }),
    );
    expect(found).toEqual([
      "error unknown-parameter 7:57 amout",
      "error unknown-type 7:67 x",
      'error unknown-function 7:109 "nope"',
      'error unknown-call 7:151 "z"',
      'error unknown-signature 7:173 "Nothing"',
    ]);
  });

  it("names the nearest match", async () => {
    const { diagnostics } = await run("compile", withHandlers({ Deposited: { entities: {} } }));
    expect(diagnostics.map(({ message, hint }) => `${message}; ${hint}`)).toEqual([
      'ABI "Vault" has no event or function "Deposited"; write "Deposit"',
    ]);
  });

  it.each([
    [[fn("poke", "nonpayable")], /^set "enableCallHandlers": true /],
    [[fn("total", "view", [], ["uint256"])], /^use an ABI with events/],
    [[], /^use an ABI with events/],
  ])("proposes call handlers only for ABIs with functions to index: %j", async (abi, hint) => {
    const instances = [{ abi: "A", address, startBlock: 1, chain: "mainnet" }];
    const { diagnostics } = await run("compile", {
      "c.json": JSON.stringify({ version: "1", abis: { A: abi }, instances }),
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(["nothing-to-index"]);
    expect(diagnostics[0]?.hint).toMatch(hint);
  });

  it("shows both places of a conflict", async () => {
    const entities = { A: { "a uint256": "event.params.amount" } };
    const other = { A: { "a string": '""' } };
    const { diagnostics } = await run(
      "compile",
      withHandlers({ Deposit: { entities }, Withdraw: { entities: other } }),
    );
    const at = diagnostics[0]?.related[0]?.at;
    expect(at?.source.text.slice(at.start, at.end)).toBe("uint256");
  });

  it("lists the created entities that were renamed", async () => {
    const balance = { Balance: { "a uint256": "event.params.balances" } };
    const { ok, files, diagnostics } = await run("compile", {
      "c.json": JSON.stringify({
        version: "1",
        abis: { A: [event("E", "uint256 balances")] },
        instances: [
          {
            abi: "A",
            address,
            startBlock: 1,
            chain: "mainnet",
            enrich: { handlers: { E: { entities: balance } } },
          },
        ],
      }),
    });
    expect(ok).toBe(true);
    expect(files.get("schema.graphql")).toContain("balancesParam: [Balance!]!");
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^field-renamed .*balancesParam/),
    ]);
  });

  it("is the same for compile and build", async () => {
    const files = withHandler({ entities: { A: { "a_in uint256": "event.params.amount" } } });
    expect((await findings("build", files)).found).toEqual((await findings("compile", files)).found);
  });
});
