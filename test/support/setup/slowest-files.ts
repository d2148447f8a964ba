import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Number of files that are printed. A run of fewer files prints none. */
const most = 10;

/**
 * Records how long each test file of a run took, and prints the slowest files at its end.
 * @param record the path of the record: JSON, milliseconds by file, slowest first
 */
export function slowestFiles(record: string): Reporter {
  return {
    onTestRunEnd(modules) {
      const times = modules
        .map((each) => [each.relativeModuleId, timeOf(each)] as const)
        .sort(([, one], [, other]) => other - one);
      mkdirSync(dirname(record), { recursive: true });
      writeFileSync(record, `${JSON.stringify(Object.fromEntries(times), null, 2)}\n`);
      if (times.length <= most) return;
      const lines = times
        .slice(0, most)
        .map(([name, time]) => `${(time / 1000).toFixed(1).padStart(8)} s  ${name}`);
      console.log(`\nThe slowest of ${times.length} files:\n${lines.join("\n")}`);
    },
  };
}

/** Milliseconds in which a file was loaded and its tests ran. */
function timeOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return Math.round(collectDuration + duration);
}
