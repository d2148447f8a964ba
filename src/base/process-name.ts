import { readFileSync, readlinkSync } from "node:fs";
import { kill, pid as own } from "node:process";

/**
 * A name that no other process ever has: the kernel's boot id, the namespace of process ids, the process id, and the
 * start time of the process.
 * @returns `undefined` except on Linux
 */
export function processName(pid: number = own): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const namespace = readlinkSync("/proc/self/ns/pid");
    const { began } = statOf(pid);
    return [boot, namespace, pid, began].join("/");
  } catch {
    return undefined;
  }
}

/**
 * Whether a process is known to have ended. Always false for processes in other containers or on other machines.
 * @param name from `processName` in that process
 */
export function hasEnded(name: string): boolean {
  const [boot, namespace, pid, began] = name.split("/");
  const ours = processName()?.split("/");
  if (!ours || boot !== ours[0] || namespace !== ours[1]) return false;
  try {
    kill(Number(pid), 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return true;
    if (code !== "EPERM") return false;
  }
  try {
    const found = statOf(Number(pid));
    return found.began !== began || found.state === "Z";
  } catch {
    // Some machines hide other users' processes.
    return false;
  }
}

/** @throws errors of the file system */
function statOf(pid: number): { readonly state: string | undefined; readonly began: string | undefined } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name at the start may contain spaces and parentheses. After it comes the third field.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], began: fields[19] };
}
