// Runs the tests that the changes since a commit can affect: `npm run test:changed -- main`. Without a commit, the changes
// that are not committed. With --list, it prints their names instead.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { affectedTests } from "./affected-tests.mjs";

const { values, positionals } = parseArgs({
  options: { list: { type: "boolean", default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
const [since = "HEAD"] = positionals;
// A path that was renamed counts as one that is gone and one that is new.
const changed = [
  ...git("diff", "--name-only", "--no-renames", since, "--"),
  ...git("ls-files", "--others", "--exclude-standard"),
];
const files = new Map(
  ["src", "test", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:m?ts|mjs)$/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  ),
);
const tests = affectedTests(files, changed);
if (values.list) for (const test of tests) console.log(test);
else if (tests.length === 0) console.log(`Nothing that changed since ${since} can affect a test.`);
else {
  const run = (command, ...args) => {
    const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  };
  if (tests.some((test) => test.endsWith(".shipped.test.ts"))) run("npm", "run", "emit");
  run(process.execPath, join(root, "node_modules/vitest/vitest.mjs"), "run", ...tests);
}
