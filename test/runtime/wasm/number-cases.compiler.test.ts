import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type PlainEntity, plainEntity } from "../../../src/runtime/store/plain-entity.js";
import { readBack } from "../../../src/runtime/store/read-back.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import type { Entity } from "../../../src/subgraph/schema/entity.js";
import { asc } from "../../support/compiler/asc.js";
import { assemble, eventOf, int, testWorld } from "./probe.js";

type Row = Readonly<Record<string, string | boolean>>;

const here = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
/** What a running graph-node with PostgreSQL gave; see the file's `about`. */
const cases: { readonly decimals: readonly Row[]; readonly integers: readonly Row[] } = JSON.parse(
  here("./number-cases.json"),
);

let mapping: Mapping;
beforeAll(async () => {
  mapping = compileMapping(await assemble(here("./number-cases.as"), asc));
});

function stored(handler: string, { a = "", b = "" }: Row): PlainEntity {
  let entity: Entity = new Map();
  const world = testWorld({
    set: (_type, _id, data) => {
      entity = data;
    },
  });
  mapping.run(handler, eventOf(int(BigInt(a)), int(BigInt(b))), world);
  return plainEntity(readBack(entity));
}

describe.each(["decimals", "integers"] as const)("%s of graph-node", (kind) => {
  test("are complete", () => {
    expect(cases[kind].length).toBe(130);
  });

  test.each(cases[kind])("$a and $b", (row) => {
    const { a, b, ...expected } = row;
    expect(stored(kind, row)).toEqual(expected);
  });
});
