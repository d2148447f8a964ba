import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../machine/files/temporary-folder.js";
import type { Scratch } from "../sinks/scratch.js";

/** UTF-16 units of all parts that wait in memory to be written. */
const mostWaiting = 8 * 1024 * 1024;

/** Opens room in the folder for temporary files: one file for each part. */
export async function openTemporaryScratch(): Promise<Scratch> {
  const folder = temporaryFolder("parts");
  const path = (part: number): string => join(folder.path, String(part));
  const waiting = new Map<number, string[]>();
  const written = new Set<number>();
  let size = 0;
  const flush = async (): Promise<void> => {
    for (const [part, lines] of waiting) {
      await appendFile(path(part), lines.join(""));
      written.add(part);
    }
    waiting.clear();
    size = 0;
  };
  return {
    append: async (part, line) => {
      const lines = waiting.get(part) ?? [];
      waiting.set(part, lines);
      lines.push(`${line}\n`);
      size += line.length;
      if (size > mostWaiting) await flush();
    },
    lines: async function* (part) {
      await flush();
      if (!written.has(part)) return;
      // The opener limits parts to what fits into memory.
      const text = await readFile(path(part), "utf8");
      yield* text.split("\n").slice(0, -1);
    },
    close: async () => folder.remove(),
  };
}
