import { describe, expect, it } from "vitest";
import type { Instance } from "../../../src/compiler/validate/config.js";
import { check, dataSource, minimal, template, transfer } from "./harness.js";

/** What is left of the first instance of a configuration that has errors. */
async function left(changes: Record<string, unknown>): Promise<Instance | undefined> {
  const { project, rest } = await check(minimal(changes));
  expect(project).toBeUndefined();
  return rest?.instances[0];
}

/** What is left of a handler: its valid calls, its broken ones, its entities and their fields. */
async function leftOf(handler: unknown): Promise<unknown> {
  const enrich = { handlers: { E: handler } };
  const instance = await left({ instances: [{ ...dataSource, enrich }] });
  const [read] = instance?.enrich?.handlers ?? [];
  return {
    calls: read?.calls.map(({ ref }) => ref.value),
    broken: read?.brokenCalls,
    entities: read?.entities.map(({ name, items }) => [
      name.value,
      ...items.flatMap(({ fields }) => fields.map((field) => field.name.value)),
    ]),
  };
}

describe("an instance with errors", () => {
  it.each([
    ["without address", { address: undefined }],
    ["with a wrong address", { address: "0x1" }],
    ["with a wrong block", { startBlock: -1 }],
    ["without a chain", { chain: undefined }],
    ["of both kinds", { source: template.source }],
    [
      "of a template without parameter",
      { address: undefined, source: { ...template.source, addressParam: 1 } },
    ],
  ])("keeps its enrichment %s", async (_, changes) => {
    const enrich = { handlers: { E: { entities: {} } } };
    const instance = await left({ instances: [{ ...dataSource, ...changes, enrich }] });
    expect(instance?.kind).toBe("broken");
    expect(instance?.enrich?.handlers.map(({ signature }) => signature.value)).toEqual(["E"]);
  });

  it.each([
    ["an unknown key", { color: "red" }, "data-source"],
    ["an unknown option", { enrich: { options: { debug: true }, handlers: {} } }, "data-source"],
  ])("stays complete with %s", async (_, changes, kind) => {
    expect((await left({ instances: [{ ...dataSource, ...changes }] }))?.kind).toBe(kind);
  });

  it.each([[{ abi: undefined }], [{ abi: 1 }]])("is dropped with %j", async (changes) => {
    const { rest } = await check(minimal({ instances: [{ ...dataSource, ...changes }, dataSource] }));
    expect(rest?.instances.length).toBe(1);
    expect(rest?.complete).toBe(false);
  });
});

describe("a handler with errors", () => {
  const sound = { name: "f" };

  it("keeps the valid calls and the names of the others", async () => {
    const calls = { a: sound, b: { ...sound, requird: true }, c: { name: 1 }, d: sound, "1e": sound };
    expect(await leftOf({ calls, entities: {} })).toMatchObject({
      calls: ["a", "d"],
      broken: ["b", "c", "1e"],
    });
  });

  it("keeps the valid entities and fields", async () => {
    const entities = {
      A: { "a bool": "true", "b bool": 1 },
      B: 1,
      "c d": { "e bool": "true" },
      D: [{ id: 1, mapping: { "f bool": "true" } }, 2],
    };
    expect(await leftOf({ entities })).toMatchObject({
      entities: [
        ["A", "a"],
        ["D", "f"],
      ],
    });
  });
});

describe("a configuration with errors", () => {
  it.each([
    [{ enableCallHandlers: "no" }, true],
    [{ enableCallHandler: true }, true],
    [{ color: "red" }, false],
    [{ version: 1 }, false],
  ])("with %j, the configuration enables call handlers: %s", async (changes, want) => {
    expect((await check(minimal(changes))).rest?.enableCallHandlers).toBe(want);
  });
});

describe("a list of ABIs with errors", () => {
  it("keeps the valid ABIs", async () => {
    const { rest } = await check(minimal({ abis: { a: [transfer], b: [transfer, { type: "event" }] } }));
    expect(rest?.abis.map(({ name }) => name.value)).toEqual(["a"]);
  });
});
