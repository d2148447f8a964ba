// Loaded before a script: leaves behind what its process has used, as JSON: CPU time in seconds, and the most memory at once in KB.
import { readFileSync, writeFileSync } from "node:fs";

/**
 * The most memory that this process held at once, in KB. On Linux, the figure of `resourceUsage` begins with what the process
 * held that has started this one.
 */
export function peakMemory() {
  try {
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (peak !== undefined) return Number(peak);
  } catch {
    // There is no such file elsewhere.
  }
  return process.resourceUsage().maxRSS;
}

const file = process.env.PEAK_MEMORY_FILE;
// Processes that the script starts would count for themselves.
delete process.env.PEAK_MEMORY_FILE;
if (file)
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, memory: peakMemory() }));
  });
