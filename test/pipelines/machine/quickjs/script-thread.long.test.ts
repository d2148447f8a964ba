import { afterEach, describe, expect, it } from "vitest";
import { openScript } from "../../../../src/pipelines/machine/quickjs/open-script.js";
import type { ScriptRunner } from "../../../../src/pipelines/script/script-engine.js";
import { rowsOf } from "../../../support/pipelines/row-objects.js";
import {
  outcomeOf,
  type RowObject,
  scriptInput,
  scriptProgram,
} from "../../../support/pipelines/script-outcome.js";

const limits = { memory: 32, rowTime: 20_000, batchTime: 60_000 };
/** For scripts that do not end by themselves. */
const short = { ...limits, rowTime: 300 };
const row: RowObject = { id: "a" };

const runners: ScriptRunner[] = [];
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
});

/** Opens a script in a thread, and gives what it makes of rows or why it fails. */
async function opened(
  script: string,
  most = limits,
): Promise<(rows: readonly RowObject[]) => Promise<readonly RowObject[] | string>> {
  const program = await scriptProgram(script, { id: "string" });
  const runner = await openScript(program, most);
  runners.push(runner);
  return async (rows) => outcomeOf(await runner.run(rowsOf(scriptInput, rows)), program.output);
}

describe("a script that does not end by itself", () => {
  it.each([
    ["loops, whatever it catches", "for (;;) { try { for (;;); } catch {} finally { for (;;); } }"],
    ["matches for ever", "/(a+)+b/.test('a'.repeat(40));"],
    ["is in an operation that cannot be interrupted", "'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b');"],
  ])("%s: it is ended, and restarts", async (_, code) => {
    const run = await opened(
      `let calls = 0;
      function invoke({ id }) { calls += 1; if (id === "b") { ${code} } return { id: id + calls }; }`,
      short,
    );
    expect(await run([{ id: "b" }])).toBe("0: it takes longer than 0.3 s");
    expect(await run([row])).toEqual([{ id: "a1" }]);
  });

  it("is ended at the row that does not end", async () => {
    const run = await opened('function invoke({ id }) { while (id === "b"); return { id }; }', short);
    expect(await run([row, { id: "b" }, row])).toBe("1: it takes longer than 0.3 s");
  });

  it.each([
    ["the constructor of the counter", "globalThis.Int32Array = function () { return forged; };"],
    [
      "what reads its buffer",
      "Object.defineProperty(Object.getPrototypeOf(Int32Array.prototype), 'buffer', { get: () => held });",
    ],
  ])("is ended at its row although it replaces %s", async (_, code) => {
    const run = await opened(
      `const forged = new Int32Array(1); const held = forged.buffer; ${code}
      function invoke() { for (;;) forged[0] += 1; }`,
      short,
    );
    expect(await run([row, row])).toBe("0: it takes longer than 0.3 s");
  });

  it("is ended while it starts", async () => {
    const run = await opened("for (;;);\nfunction invoke(data) { return data; }", short);
    expect(await run([row])).toBe("all: it takes longer than 0.3 s");
  });

  it("is ended when its rows take too long together", async () => {
    const run = await opened("function invoke(data) { for (let n = 0; n < 3e5; n += 1); return data; }", {
      ...limits,
      batchTime: 100,
    });
    expect(await run(Array.from({ length: 2_000 }, () => row))).toMatch(
      /^\d+: the rows of a batch together: it takes longer than 0.1 s$/,
    );
  });
});

it("dates are in universal time on every machine", async () => {
  const run = await opened(
    "function invoke() { return { id: [new Date(2024, 0, 1).toISOString(), new Date(0).getHours(), new Date(0).getTimezoneOffset()].join() }; }",
  );
  expect(await run([row])).toEqual([{ id: "2024-01-01T00:00:00.000Z,0,0" }]);
});
