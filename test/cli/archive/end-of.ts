import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Waits for a process. @returns how it has ended, and what it has printed */
export async function endOf(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  const said = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => {
    said.out += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    said.err += String(chunk);
  });
  const [code] = await once(child, "close");
  return { code, ...said };
}
