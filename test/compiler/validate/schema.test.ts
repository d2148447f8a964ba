import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema: Schema = JSON.parse(
  readFileSync(new URL("../../../schemas/config-v1.schema.json", import.meta.url), "utf8"),
);

/** Every property and definition, by its path in the schema. */
function* described(node: Schema, path = ""): Generator<[string, Schema]> {
  for (const group of ["properties", "$defs"] as const) {
    for (const [name, child] of Object.entries(node[group] ?? {})) {
      if (!("$ref" in child)) yield [`${path}/${name}`, child];
      yield* described(child, `${path}/${name}`);
    }
  }
}

const all = [...described(schema)];

test("the schema is a valid JSON schema", () => {
  expect(all.length).toBeGreaterThan(35);
  expect(new Ajv2020().validateSchema(schema)).toBe(true);
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(schema.$id).toMatch(/^urn:/);
});

test.each(all)("the schema describes %s", (_, property) => {
  expect(property.title).toMatch(/^[A-Z].*[^.]$/s);
  expect(property.description).toMatch(/^[A-Z].*\.$/s);
  expect(property.errorMessage ?? property.expectation).toBeTypeOf("string");
});

test.each(
  all.filter(([, property]) => !("properties" in property)),
)("the schema gives an example for %s", (_, property) => {
  expect(property.examples ?? property.default).toBeDefined();
});

test.each(
  all.filter(([, { type, deprecated }]) => type === "boolean" && !deprecated),
)("the schema states the default of %s", (_, property) => {
  expect(property.default).toBe(false);
});

const withExamples = [["the whole", schema] as [string, Schema], ...all].filter(
  ([, { examples }]) => examples,
);

test.each(withExamples)("the schema has valid examples for %s", (_, property) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const judge = ajv.compile({ ...property, $id: "urn:x:example", $defs: schema.$defs });
  for (const example of property.examples as unknown[]) {
    judge(example);
    expect(judge.errors).toBeNull();
  }
});

test("the schema gives the right form for every value that can be wrong", () => {
  const silent: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const keys = ["type", "const", "pattern", "minLength"].filter(
      (key) => typeof (node as Schema)[key] === "string",
    );
    const isSchema = !/\/(properties|\$defs|examples)$/.test(path) && !path.includes("/examples/");
    if (isSchema && keys.length > 0 && !("errorMessage" in node || "expectation" in node)) silent.push(path);
    for (const [key, child] of Object.entries(node)) visit(child, `${path}/${key}`);
  };
  visit(schema, "");
  expect(silent).toEqual([]);
});
