import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "examples/pipelines");
const files = readdirSync(examples).filter((name) => name.endsWith(".yaml"));
const manual = ["pipelines", "pipeline-sources", "pipeline-transforms", "pipeline-lookups"]
  .map((page) => readFileSync(join(root, `docs/${page}.md`), "utf8"))
  .join("\n");
const inManual = [...manual.matchAll(/```yaml\n(name:[\s\S]*?)```/g)].map(([, text = ""]) => text);

/** Values of the variables that the examples have. */
const values = `--var CHAIN=base --var FROM=100 --var TO=200 --var TOKEN=0x${"a1".repeat(20)} --var LIMIT=1000 --var URL=https://example.com/`;

/** What a definition is checked for without a database of subgraphs: nothing in it is wrong, as far as that goes. */
function noted(definition: string): unknown {
  return definition.includes("subgraph_entity")
    ? expect.stringMatching(/^note\[subgraph-unread\][\s\S]*\n1 note\n$/)
    : "";
}

it.each(files)("the example %s is valid", async (name) => {
  const { code, err } = await graphloom(examples, `pipeline validate ${name} ${values}`);
  expect([code, err]).toEqual([0, noted(readFileSync(join(examples, name), "utf8"))]);
});

it.each(inManual)("the definition in the manual is valid: %s", async (text) => {
  const tokens = readFileSync(join(examples, "tokens.csv"), "utf8");
  const folder = workplace({ "flow.yaml": text, "tokens.csv": tokens });
  const { code, err } = await graphloom(folder, "pipeline validate flow.yaml");
  expect([code, err]).toEqual([0, noted(text)]);
});
