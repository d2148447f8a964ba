/** A process that makes folders for temporary files in the folder that its argument names, writes into them and says where they are. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../src/machine/files/temporary-folder.js";

process.on("message", (within: string) => {
  const made = [temporaryFolder("rows", within), temporaryFolder("rows", within)].map(({ path }) => path);
  for (const path of made) writeFileSync(join(path, "rows"), "many");
  process.send?.(made);
});
