import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** Bytes that the tests may need at the same time, with much to spare. */
const enough = 4 << 30;

/**
 * A folder that lies in memory, for what is gone after a test: the thousand files of a database are there in a third of
 * the time. Nothing where there is none, where it is small, and where nothing in it can be run.
 */
export function memoryFolder(): string | undefined {
  const folder = "/dev/shm";
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, place]) => place === folder);
    const [, , kind, options = ""] = mount ?? [];
    if (kind !== "tmpfs" || options.split(",").includes("noexec")) return undefined;
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= enough ? folder : undefined;
  } catch {
    return undefined;
  }
}
