import { describe, expect, it } from "vitest";
import { asc } from "../../support/compiler/asc.js";
import { findings, withHandler, withHandlers } from "./harness.js";

async function found(files: Readonly<Record<string, string>>): Promise<string[]> {
  const outcome = await findings("check", files, { asc });
  return outcome.found.map((line) => line.replace(/ \d+:\d+/, ""));
}

describe("type checks in a configuration with other errors", () => {
  it("finds type errors in every kind of expression", async () => {
    const handler = {
      calls: {
        lost: { name: "nobody", params: "1 +, 2" },
        late: { name: "balanceOf", params: "event.params.amount", source: "calls.nothing" },
        asked: {
          name: "total",
          conditions: { pre: "event.params.who.nobody", post: "call.inputs.amount" },
        },
        odd: { name: "twice(uint256)", params: "event.params.amont" },
      },
      entities: {
        A: {
          "a uint256": "calls.lost!.plus(calls.late)",
          "b uint256": "calls.late",
          "c string": "event.params.who",
          "d bool": "calls.asked > calls.odd",
          "e nothing": "1",
          "f string": "event.params.",
          "g uint256": "Date.now()",
        },
        B: [{ id: "event.params.who", mapping: { "a string": "result.value" } }],
      },
    };
    expect(await found(withHandler(handler))).toEqual([
      'error unknown-function "nobody"',
      "error expression-syntax ,",
      "error expression-type event.params.amount",
      "error unknown-call nothing",
      "error expression-type nobody",
      "error wrong-trigger call",
      "error unknown-parameter amont",
      "error expression-type event.params.who",
      "error expression-crashes-compiler calls.asked > calls.odd",
      "error unknown-type nothing",
      "error expression-syntax ",
      "error unavailable-function Date.now",
      "error expression-type event.params.who",
      "error result-out-of-scope result",
    ]);
  });

  it("finds type errors beside an unknown event and a field of two types", async () => {
    const files = withHandlers({
      Depositd: { entities: { Lost: { "a uint256": "1" } } },
      Deposit: { entities: { A: { "a uint256": "event.params.amount", "b string": "1" } } },
      Withdraw: { entities: { A: { "a string": "event.params.who", "b string": "event.params.amount" } } },
    });
    expect(await found(files)).toEqual([
      'error unknown-signature "Depositd"',
      "error expression-type 1",
      "error field-type-conflict string",
      "error expression-type event.params.amount",
    ]);
  });

  it("skips expressions that have no types", async () => {
    const files = withHandler({ entities: { A: { "a uint256": "event.params.nothing" } } });
    expect(await found(files)).toEqual(["error unknown-parameter nothing"]);
  });

  it.each(["check", "build"] as const)("writes nothing on %s", async (command) => {
    const files = withHandler({ entities: { A: { "a uint256": "event.params.nothing", "b string": "1" } } });
    const outcome = await findings(command, files, { asc });
    expect([outcome.ok, outcome.files.size, outcome.origins.size, outcome.model]).toEqual([
      false,
      0,
      0,
      undefined,
    ]);
    expect(outcome.found.length).toBe(2);
  });
});
