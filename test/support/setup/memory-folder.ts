import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** Bytes that concurrent tests may need, with a large reserve. */
const enough = 4 << 30;

/**
 * A folder in memory for temporary files: it takes a third of the time to write the thousand files of a database.
 * `undefined` when there is none, when it is too small, or when programs in it cannot be run.
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
