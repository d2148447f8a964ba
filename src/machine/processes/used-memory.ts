import { readFile } from "node:fs/promises";

const mebibyte = 1_024;

/**
 * The memory that a process uses: what is resident, and what was swapped out.
 * @returns megabytes; `undefined` where the system has no `/proc`, or if there is no such process
 */
export async function usedMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  const resident = kilobytesIn(status, "VmRSS");
  return resident === undefined ? undefined : (resident + (kilobytesIn(status, "VmSwap") ?? 0)) / mebibyte;
}

function kilobytesIn(status: string | undefined, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}
