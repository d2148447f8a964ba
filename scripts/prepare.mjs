// Builds after an installation in the sources, also from git, without checking types: the tests check them. Whoever packs
// has built just before. What is installed from a package is built already, and runs nothing.
import { spawnSync } from "node:child_process";

const isPacking = ["pack", "publish"].includes(process.env.npm_command ?? "");
if (!isPacking) {
  const { status } = spawnSync("npm", ["run", "emit"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
