import fc from "fast-check";
import { expect, test } from "vitest";
import { bindEntity } from "../../../../src/compiler/emit/bindings/bound-entity.js";
import { printSchemaBindings } from "../../../../src/compiler/emit/bindings/print-schema-bindings.js";
import type { EntityField, EntityModel } from "../../../../src/compiler/model/entity-model.js";
import { propertyRun } from "../../../support/property/property-run.js";
import { peerSchemaBindings } from "./peer.js";

const scalars = ["ID", "String", "Boolean", "Bytes", "Int", "BigInt", "BigDecimal"] as const;

function scalar(name: string, of: (typeof scalars)[number], list = false, nonNull = true): EntityField {
  return { name, of: { kind: "scalar", name: of }, list, nonNull };
}

function entity(name: string, ...fields: readonly EntityField[]): EntityModel {
  return { name, immutable: false, fields: [scalar("id", "ID"), ...fields] };
}

function reference(name: string, to: string, list = false, nonNull = true): EntityField {
  return { name, of: { kind: "entity", name: to }, list, nonNull };
}

function derived(name: string, from: string, derivedFrom: string): EntityField {
  return { ...reference(name, from, true), derivedFrom };
}

const everyScalar = scalars.flatMap((of) =>
  [false, true].flatMap((list) =>
    [false, true].map((nonNull) => scalar(`the${of}${list}${nonNull}`, of, list, nonNull)),
  ),
);

/** A name long enough to make lines break. */
function long(length: number): string {
  return "aVeryLongNameOfAnEntityOrAFieldInASchemaThatWantsToSayItAllInOneIdentifierOfEightyColumns".slice(
    0,
    length,
  );
}

const schemas: readonly [string, readonly EntityModel[]][] = [
  ["an entity with an id only", [entity("Account")]],
  ["every scalar", [entity("Account", ...everyScalar)]],
  [
    "references",
    [
      entity("A", reference("b", "B"), reference("bs", "B", true), reference("c", "A", false, false)),
      entity("B"),
    ],
  ],
  [
    "derived fields",
    [entity("A", derived("bs", "B", "a"), derived("as", "A", "a")), entity("B", derived("bs", "B", "b"))],
  ],
  [
    "reserved words",
    [entity("A", scalar("in", "BigInt"), scalar("delete", "Int", true), derived("new", "A", "in"))],
  ],
  ["names of Object", [entity("toString", scalar("constructor", "Bytes"), scalar("__proto__", "Bytes"))]],
  [
    "long names",
    Array.from({ length: 80 }, (_, at) =>
      entity(
        `E${long(at)}`,
        scalar(long(80 - at), "String", false, false),
        derived(`d${long(at)}`, `E${long(at)}`, "x"),
      ),
    ),
  ],
];

// Formatting is slow on a busy machine.
test.each(
  schemas,
)("the compiler prints the same schema bindings as graph-cli for %s", async (_, entities) => {
  expect(printSchemaBindings(entities.map(bindEntity))).toBe(await peerSchemaBindings(entities));
});

const name = fc.oneof(
  fc.integer({ min: 1, max: 80 }).map(long),
  fc.constantFrom("in", "delete", "amount", "x"),
);
const anyField = fc.oneof(
  fc.tuple(name, fc.constantFrom(...scalars), fc.boolean(), fc.boolean()).map((args) => scalar(...args)),
  fc.tuple(name, fc.constant("A"), fc.boolean(), fc.boolean()).map((args) => reference(...args)),
  fc.tuple(name, fc.constant("A"), fc.constant("x")).map((args) => derived(...args)),
);

test("the compiler prints the same schema bindings as graph-cli for any schema", async () => {
  await fc.assert(
    fc.asyncProperty(name, fc.array(anyField, { maxLength: 6 }), async (entityName, fields) => {
      const entities = [entity("A"), entity(`E${entityName}`, ...fields)];
      expect(printSchemaBindings(entities.map(bindEntity))).toBe(await peerSchemaBindings(entities));
    }),
    propertyRun(),
  );
}, 60_000);
