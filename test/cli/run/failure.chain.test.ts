import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const anvil = useAnvil();
let counter: Contract;
let odd: RawReceipt;
beforeAll(async () => {
  counter = await deployCounter(anvil());
  await anvil().send(counter, "count", [2]);
  odd = await anvil().send(counter, "count", [3]);
});

function runWith(value: string, options = ""): ReturnType<typeof graphloom> {
  const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, value) });
  return graphloom(cwd, `run c.json --rpc mainnet=${anvil().url} ${options}`);
}

/** The diagnostics after the warning about the expression, and the summary. */
function foundLater(err: string): string {
  return err.slice(err.indexOf("1 warning\n") + "1 warning\n".length);
}

describe("a handler that fails", () => {
  it("is reported at the part of the expression that failed", async () => {
    const { code, out, err } = await runWith("BigInt.fromI32(1) + calls.half!.plus(event.params.number)");
    expect(code).toBe(1);
    expect(foundLater(err)).toBe(`error[handler-failed]: a handler failed at the value of Note.value
  --> c.json:70:55  /instances/0/enrich/handlers/Counted/entities/Note/value uint256
   |
70 |                 "value uint256": "BigInt.fromI32(1) + calls.half!.plus(event.params.number)"
   |                                                       ^^^^^^^^^^^ unexpected null
   = note: block ${Number(odd.blockNumber)} of mainnet, transaction ${odd.transactionHash}, the event with log index 0
   = note: the handler is handleCounterCountedEnriched of Counter (src/counter.ts:45:25)
   = note: this block was not written; a deployed subgraph stops here, too
   = hint: give null a default value, or skip it with a condition

1 error
`);
    // The previous block was written.
    expect(out).toContain("\nNote: 1\n");
    expect(out).toContain(`mainnet: blocks 0 to ${Number(odd.blockNumber) - 1}, 1 trigger`);
  });

  it("is reported at the right place after escapes and rewritten comparisons with null", async () => {
    const { err } = await runWith(
      'event.params.number == null ? BigInt.zero() : [\t"("].length > 0 ? calls.half! : BigInt.zero()',
    );
    const [, line = "", marks = ""] = /\n70 \|(.*)\n {3}\|(.*) unexpected null\n/.exec(foundLater(err)) ?? [];
    expect(line.slice(marks.indexOf("^"), marks.length)).toBe("calls.half!");
  });

  it("is reported with the possible expressions when it failed in a function they call", async () => {
    const { code, err } = await runWith(
      "calls.half === null ? BigInt.fromI32(6) / BigInt.zero() : calls.half!",
    );
    expect([code, err]).toEqual([
      1,
      `error[handler-failed]: the handler handleCounterCountedEnriched of Counter failed
  ::: c.json:65:28  /instances/0/enrich/handlers/Counted/calls/half/params
   |
65 |                 "params": "event.params.number"
   |                            ------------------- possibly here: argument 1 of call half
70 | …            "value uint256": "calls.half === null ? BigInt.fromI32(6) / BigInt.zero() : calls.half!"
   |                                --------------------------------------------------------------------- possibly here: the value of Note.value
   = note: block ${Number(odd.blockNumber)} of mainnet, transaction ${odd.transactionHash}, the event with log index 0
   = note: attempted to divide BigInt \`6\` by zero
   = note: this block was not written; a deployed subgraph stops here, too

1 error
`,
    ]);
  });

  it("is reported with the limit that it exceeded, and with its expressions", async () => {
    const { code, out, err } = await runWith(
      "new Uint8Array(1073741000).length > 1 ? BigInt.zero() : event.params.number",
    );
    expect(code).toBe(1);
    expect(err).toContain(
      "error[handler-failed]: the handler handleCounterCountedEnriched of Counter failed\n",
    );
    expect(err).toContain("possibly here: the value of Note.value\n");
    expect(err).toContain("   = note: The handler needed more than 1,073,741,824 bytes of memory\n");
    // Nothing of the first block with an event was written.
    expect(out).toContain(`mainnet: blocks 0 to ${Number(odd.blockNumber) - 2}, 0 triggers`);
  });

  it("is a diagnostic of the JSON document; entities go to standard error", async () => {
    const { code, out, err } = await runWith("calls.half!", "--format json");
    expect(code).toBe(1);
    const { diagnostics, counts } = JSON.parse(out);
    expect(counts).toEqual({ errors: 1, warnings: 1, notes: 0 });
    expect(diagnostics[1]).toMatchObject({
      code: "handler-failed",
      file: "c.json",
      pointer: "/instances/0/enrich/handlers/Counted/entities/Note/value uint256",
      start: { line: 70, column: 35 },
      end: { line: 70, column: 46 },
    });
    expect(err).toContain("\nNote: 1\n");
  });

  it("leaves the entities written before it in the JSON output", async () => {
    const { code, out } = await runWith("calls.half!", "--output json --entity Note");
    expect(code).toBe(1);
    expect(JSON.parse(out).mainnet.entities.Note).toMatchObject([{ value: "1" }]);
  });
});

it("log lines of mappings are printed with their level", async () => {
  const text = counterConfig({ mainnet: counter }, "event.params.number", { debugging: true });
  const { code, err } = await graphloom(workplace({ "c.json": text }), `run c.json --rpc ${anvil().url}`);
  expect(code).toBe(0);
  const lines = err.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("["))).toEqual([]);
  expect(err).toContain(`[info] handleCounterCountedEnriched ${odd.transactionHash}-0: saved Note `);
});
