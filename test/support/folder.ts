import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Contents by path. */
export type Contents =
  | Readonly<Record<string, string | Uint8Array>>
  | ReadonlyMap<string, string | Uint8Array>;

/** Makes a folder that is removed after the test. Call it in a test, or in `beforeEach`. */
export function testFolder(files: Contents = {}): string {
  const folder = makeFolder(files);
  onTestFinished(() => remove(folder));
  return folder;
}

/** Makes a folder that is removed after the last test of the file. Call it outside of tests. */
export function useFolder(files: Contents = {}): string {
  const folder = makeFolder(files);
  afterAll(() => remove(folder));
  return folder;
}

/** Writes files below a folder. */
export function plant(folder: string, files: Contents): void {
  for (const [path, content] of files instanceof Map ? files : Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function makeFolder(files: Contents): string {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-test-"));
  plant(folder, files);
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
