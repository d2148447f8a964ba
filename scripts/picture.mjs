// Takes the pictures in the README, from the pages themselves: npm run picture
// Or pictures of all pages, or of those with a text in their address: npm run picture -- --all <folder> [<text>]
// Needs Chromium.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [option, folder, among = ""] = process.argv.slice(2);
if (option !== undefined && (option !== "--all" || folder === undefined))
  throw new Error("usage: npm run picture [-- --all <folder> [<text>]]");
const asked =
  option === undefined
    ? { GRAPHLOOM_PICTURE: "1" }
    : { GRAPHLOOM_PICTURE_ALL: resolve(folder), GRAPHLOOM_PICTURE_AMONG: among };
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const test = "test/platform/pages/pictures/picture.database.test.ts";
const only = option === undefined ? "README" : "pictures of all pages";
const { status } = spawnSync(process.execPath, [vitest, "run", test, "-t", only], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, ...asked },
  stdio: "inherit",
});
process.exit(status ?? 1);
