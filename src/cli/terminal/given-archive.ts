import { resolve } from "node:path";
import type { Terminal } from "./terminal.js";

/** The folder of the archive that `--archive` or else GRAPHLOOM_ARCHIVE names, absolute; `undefined` when neither does. */
export function givenArchive(
  option: string | undefined,
  { env, cwd }: Pick<Terminal, "env" | "cwd">,
): string | undefined {
  const given = option ?? (env?.GRAPHLOOM_ARCHIVE || undefined);
  return given === undefined ? undefined : resolve(cwd, given);
}
