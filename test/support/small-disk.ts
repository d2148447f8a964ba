import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a disk in memory. This needs root on Linux. @param options such as `size=8m` */
export function mountDisk(folder: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
}

/** Makes a folder for a small disk. */
export function diskFolder(): string {
  return mkdtempSync(join(tmpdir(), "graphloom-disk-"));
}

/** Unmounts a disk, and removes its folder. */
export function removeDisk(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
  rmdirSync(folder);
}

/** Why no small disk can be mounted; `undefined` if one can. */
export const smallDiskMissing = ((): string | undefined => {
  const folder = diskFolder();
  try {
    mountDisk(folder, "size=1m");
    execFileSync("umount", [folder]);
    return undefined;
  } catch {
    return "a small disk cannot be mounted here";
  } finally {
    rmdirSync(folder);
  }
})();
