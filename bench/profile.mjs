// Shows where the time of a command goes, cold (a process of its own) and warm (again in the same process, as while
// watching), in milliseconds: npm run bench:profile [-- <runs>]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { uniswap } from "./configs.mjs";
import { median } from "./process.mjs";

const child = fileURLToPath(new URL("./profile-child.mjs", import.meta.url));
const runs = Number(process.argv[2] ?? 7);

for (const command of ["check", "init --build", "compile --check"]) {
  const all = Array.from({ length: runs }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [child, command, uniswap], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
  console.log(`\n${command.padEnd(36)}  cold  warm`);
  const [first] = all;
  for (const [row, { step }] of first.cold.entries()) {
    const cold = median(all.map((each) => each.cold[row].ms));
    const again = first.warm.findIndex((each) => each.step === step);
    const warm = again < 0 ? "" : median(all.map((each) => each.warm[again].ms)).toFixed(0);
    console.log(`${step.padEnd(36)} ${cold.toFixed(0).padStart(5)} ${warm.padStart(5)}`);
  }
  const total = (kind) =>
    median(all.map((each) => each[kind].reduce((sum, { ms }) => sum + ms, 0))).toFixed(0);
  console.log(`${"together".padEnd(36)} ${total("cold").padStart(5)} ${total("warm").padStart(5)}`);
}
