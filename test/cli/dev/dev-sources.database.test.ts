import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { linkedFiles, startNode } from "../../runtime/composition/recorded-node.js";
import { until } from "../../support/until.js";
import { workplace } from "../harness.js";
import { startDev } from "./started-dev.js";

function write(folder: string, { files }: BuiltFiles): void {
  mkdirSync(folder);
  for (const [path, content] of files) writeFileSync(join(folder, path), content);
}

it("dev indexes the sources of a composed subgraph beside it, and names their deployments", async () => {
  const { url, moveTo } = await startNode();
  moveTo(29);
  const cwd = workplace();
  const { source, composed } = linkedFiles();
  write(join(cwd, "events"), source);
  write(join(cwd, "totals"), composed);
  const dev = await startDev(cwd, `totals --with events --rpc ${url} --verify off --port 0`);
  const logs = async (): Promise<string> => {
    const { logs } = (await dev.firstAnswer("{ logs(orderBy: id) { data } }")) as {
      readonly logs: readonly { readonly data: string }[];
    };
    return logs.map(({ data }) => data.split(";")[0]).join();
  };
  await until(async () => (await logs()) === "id = String a1,id = String b1,id = String a2");
  expect(dev.said()).toMatch(/^mainnet: the source events is Qm\w{44}$/m);
  expect((await dev.interrupt()).code).toBe(0);
});
