// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of another language
import { describe, expect, it } from "vitest";
import { asc } from "../../support/compiler/asc.js";
import { event } from "../abi/entries.js";
import { address, checked, compiled, configuration, errorsOf } from "../hostile/harness.js";

/* Failures that the random and the hostile tests found, shrunk. Each test states the right behaviour. */

describe("an expression nested too deep for a parser", () => {
  it.each(["(", "[", "!", "-", "a?", "`${", "x=>", "<A>"])("is an error: 5,000 times %s", async (text) => {
    expect(errorsOf(await compiled(configuration({ value: text.repeat(5000) })))).not.toEqual([]);
  });

  it.each([
    [4000, ".plus(event.block.number)"],
    [20_000, "+event.block.number"],
  ])("is valid or an error, but never a crash, when it is long: %i times %s", async (times, text) => {
    const outcome = await compiled(configuration({ value: `event.block.number${text.repeat(times)}` }));
    expect(outcome.diagnostics).toBeDefined();
  });

  it("is valid or an error, but never a crash, when it is balanced", async () => {
    const value = `${"(".repeat(5000)}event.block.number${")".repeat(5000)}`;
    expect((await compiled(configuration({ value }))).diagnostics).toBeDefined();
  });
});

it("the compiler writes a valid manifest for a declared call whose name exceeds 1,024 letters", async () => {
  await compiled(configuration({ ref: "x".repeat(1100) }));
});

describe("a line separator in a string literal", () => {
  it.each([
    "\u2028",
    "\u2029",
  ])("is written so that it compiles, or is reported once (%j)", async (separator) => {
    const outcome = await checked(configuration({ id: `"a${separator}b"` }), { asc });
    expect(errorsOf(outcome).length).toBeLessThanOrEqual(1);
  });
});

describe("an expression whose error the compiler finds behind its end", () => {
  it.each([
    "await x",
    "await x.y",
    "yield",
    "async () => 1",
  ])("is an error at its own place: %s", async (value) => {
    const outcome = await checked(configuration({ value, field: "text", fieldType: "string" }), { asc });
    expect(errorsOf(outcome)).not.toEqual([]);
  });
});

describe("a template that its source cannot create", () => {
  it.each([
    { addressParam: "nope" },
    { eventSignature: "Nope(address)" },
  ])("is one error, not an internal one: %j", async (wrong) => {
    const outcome = await compiled(configuration(wrong));
    expect(errorsOf(outcome)).toHaveLength(1);
  });
});

describe("an event that creates contracts and shares its entity with a handler", () => {
  it("compiles soundly", async () => {
    const enrich = { handlers: { Noted: { entities: { Made: { "note string": '"x"' } } } } };
    const outcome = await checked(
      {
        version: "1",
        name: "makers/1.0.0",
        abis: {
          Maker: [event("Made", "address pool", "uint256 fee"), event("Noted", "uint256 value")],
          Pool: [event("Swapped", "uint256 value")],
        },
        instances: [
          { abi: "Maker", address, startBlock: 1, chain: "mainnet", enrich },
          {
            abi: "Pool",
            source: { abi: "Maker", eventSignature: "Made(address,uint256)", addressParam: "pool" },
          },
        ],
      },
      { asc },
    );
    expect(errorsOf(outcome)).toEqual([]);
    expect(outcome.ok).toBe(true);
  });
});
