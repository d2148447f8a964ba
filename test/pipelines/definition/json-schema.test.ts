import { readdirSync, readFileSync } from "node:fs";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { definitionSchema } from "../../../src/pipelines/definition/json-schema.js";
import { allSinks } from "../../../src/pipelines/sinks/all-sinks.js";

const forms = ["pipeline", "stream"] as const;

/** A schema takes long to compile. */
const validators = { pipeline: validatorOf("pipeline"), stream: validatorOf("stream") };

function validatorOf(form: (typeof forms)[number]): ValidateFunction {
  return new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(definitionSchema(form, allSinks));
}

/** What a schema says of a definition. */
function faults(yaml: string): readonly string[] {
  const definition = parse(yaml) as object;
  const validate = validators["apiVersion" in definition ? "pipeline" : "stream"];
  validate(definition);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

// Update the files with: npx vitest run test/pipelines/definition/json-schema.test.ts -u
it.each(forms)("the file with the schema of a %s matches the settings", async (form) => {
  const text = `${JSON.stringify(definitionSchema(form, allSinks), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`../../../schemas/${form}.schema.json`);
});

const examples = readdirSync("examples/pipelines").filter((name) => name.endsWith(".yaml"));
it.each(examples)("the schema accepts the example %s", (name) => {
  expect(faults(readFileSync(`examples/pipelines/${name}`, "utf8"))).toEqual([]);
});

const sound = `
name: example
sources: { logs: { type: dataset, dataset_name: "\${CHAIN}.raw_logs", start_at: earliest } }
transforms: { few: { sql: SELECT id FROM logs, primary_key: id } }
sinks: { out: { type: postgres, from: few, table: few, secret_name: DB, batch_size: 10, batch_flush_interval: 1s } }
`;

describe("the schema", () => {
  it("accepts valid definitions of either form", () => {
    expect(faults(sound)).toEqual([]);
    expect(faults(`apiVersion: 3\n${sound}`)).toEqual([]);
    for (const size of ["mem.xl", `\${SIZE}`]) {
      expect(faults(`resource_size: ${size}\n${sound}`)).toEqual([]);
    }
  });

  it.each([
    ["start_at: earliest", "start_at: first", "/sources/logs/start_at"],
    ["type: dataset", "type: data", "/sources/logs/type"],
    ["dataset_name:", "dataset:", "/sources/logs must have required property 'dataset_name'"],
    ["primary_key: id", "primary: id", "/transforms/few must have required property 'primary_key'"],
    ["secret_name: DB,", "", "/sinks/out must have required property 'secret_name'"],
    ["batch_size: 10", "batch_size: ten", "/sinks/out/batch_size"],
    ["batch_flush_interval: 1s", "batch_flush_interval: soon", "/sinks/out/batch_flush_interval"],
    ["name: example", "name: example\nresource_size: huge", "/resource_size"],
    ["name: example", "name: Not A Name", "/name"],
    ["name: example", "names: example", "must have required property 'name'"],
  ])("refuses %s as %s", (right, wrong, fault) => {
    expect(faults(sound.replace(right, wrong))).toContainEqual(expect.stringContaining(fault));
  });
});
