import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { limitedFiles } from "../../../src/pipelines/machine/limited-files.js";
import { useFolder } from "../../support/folder.js";

const root = useFolder();

it("The files of all pipelines of a project share a limit, and writing continues once there is room.", async () => {
  let now = 0;
  const filesIn = (folder: string) =>
    limitedFiles(openTableFiles(join(root, folder)), root, 2, { now: () => now });
  const [one, other] = [filesIn("one"), filesIn("other")];
  const megabyte = Buffer.alloc(1_000_000);
  await one.write("a.parquet", megabyte);
  await other.write("deeper/b.parquet", megabyte);
  now += 10_000;
  const refusal = {
    name: "SinkError",
    isTemporary: true,
    message: expect.stringMatching(/take 2 MB, and may take 2\. .* GRAPHLOOM_MOST_FILE_MEGABYTES/),
  };
  for (const files of [one, other]) {
    await expect(files.write("c.parquet", megabyte)).rejects.toMatchObject(refusal);
    await expect(files.writeWith?.("c.parquet", async () => undefined)).rejects.toMatchObject(refusal);
  }
  expect(await one.list(".")).toEqual(["a.parquet"]);
  rmSync(join(root, "other"), { recursive: true });
  now += 10_000;
  await one.write("c.parquet", megabyte);
  expect(await one.list(".")).toEqual(["a.parquet", "c.parquet"]);
});
