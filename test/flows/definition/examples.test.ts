import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "examples/pipelines");
const files = readdirSync(examples).filter((name) => name.endsWith(".yaml"));
const manual = readFileSync(join(root, "docs/pipelines.md"), "utf8");
const inManual = [...manual.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

/** Values of the variables that the examples have. */
const values = `--var CHAIN=base --var FROM=100 --var TO=200 --var TOKEN=0x${"a1".repeat(20)} --var LIMIT=1000 --var URL=https://example.com/`;

it.each(files)("the example %s is valid", async (name) => {
  const { code, err } = await graphloom(examples, `pipeline validate ${name} ${values}`);
  expect([code, err]).toEqual([0, ""]);
});

it.each(inManual)("the definition in the manual is valid: %s", async (text) => {
  const { code, err } = await graphloom(workplace({ "flow.yaml": text }), "pipeline validate flow.yaml");
  expect([code, err]).toEqual([0, ""]);
});
