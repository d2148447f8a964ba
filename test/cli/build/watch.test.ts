import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writtenProject } from "../../support/compiler/written-project.js";
import { until } from "../../support/until.js";
import { graphloom, workplace } from "../harness.js";

it("codegen --watch runs again after an edit, and not for the types that it wrote itself", async () => {
  const cwd = workplace(writtenProject());
  const schema = join(cwd, "schema.graphql");
  const end = new AbortController();
  let said = "";
  const running = graphloom(cwd, "codegen --watch", {
    signal: end.signal,
    onErr: (text) => {
      said += text;
    },
  });
  const rounds = (): number => said.split("] watching ").length - 1;
  await until(() => rounds() === 1);
  writeFileSync(
    schema,
    `${readFileSync(schema, "utf8")}\ntype Other @entity(immutable: true) { id: Bytes! }\n`,
  );
  await until(() => rounds() === 2);
  expect(said.match(/changed: .*/g)).toEqual(["changed: schema.graphql"]);
  expect(readFileSync(join(cwd, "generated/schema.ts"), "utf8")).toContain("class Other");
  writeFileSync(join(cwd, "subgraph.yaml"), "dataSources:\n  - [");
  await until(() => rounds() === 3);
  expect(said).toContain("changed: subgraph.yaml");
  end.abort();
  expect((await running).code).toBe(130);
});
