import fc from "fast-check";
import { parse } from "graphql";
import { expect, test } from "vitest";
import { printSchemaBindings } from "../../../../src/compiler/emit/bindings/print-schema-bindings.js";
import { bindSchema } from "../../../../src/compiler/project/schema/bind-schema.js";
import { propertyRun } from "../../../support/property/property-run.js";
import { peerSchemaBindingsOfText } from "../../emit/bindings/peer.js";

function ours(schema: string): string {
  return printSchemaBindings(bindSchema(parse(schema)));
}

/** A name long enough to make lines break. */
function long(length: number): string {
  return "aVeryLongNameOfAFieldInASchemaThatWantsToSayItAllInOneIdentifierOfEightyColumnsIndeed".slice(
    0,
    length,
  );
}

const named = [
  "ID",
  "Boolean",
  "Bytes",
  "Int",
  "Int8",
  "BigInt",
  "BigDecimal",
  "Timestamp",
  "A",
  "B",
  "Kind",
];
const types = named.flatMap((name) => [
  name,
  `${name}!`,
  `[${name}!]`,
  `[${name}!]!`,
  `[[${name}!]!]!`,
  `[[${name}!]!]`,
  `[[${name}]!]!`,
  `[[${name}]!]`,
]);
const others = `
enum Kind { some other }
type A @entity(immutable: true) { id: Bytes! }
type B @entity(immutable: true) { id: Int8! }
`;

test("codegen prints lists of lists in fields with names of any length as graph-cli does", async () => {
  const lists = ["[[Bytes!]!]!", "[[ID!]!]", "[[A]!]", "[[String]!]!"];
  const fields = Array.from({ length: 80 }, (_, at) =>
    lists.map((type, of) => `${long(at + 1)}${of}: ${type}`),
  );
  const schema = `${others}type E @entity(immutable: true) { id: ID! ${fields.flat().join("\n")} }`;
  expect(ours(schema)).toBe(await peerSchemaBindingsOfText(schema));
});

const anyField = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.constantFrom(...types));

test("codegen prints the same bindings as graph-cli for any schema with lists of lists", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyField, { minLength: 1, maxLength: 6 }), async (fields) => {
      const texts = fields.map(([length, type], at) => `${long(length)}${at}: ${type}`);
      const schema = `${others}type E @entity(immutable: true) { id: ID! ${texts.join("\n")} }`;
      expect(ours(schema)).toBe(await peerSchemaBindingsOfText(schema));
    }),
    propertyRun(50),
  );
});
