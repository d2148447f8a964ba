import { resolve } from "node:path";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage/usage-error.js";

/** The folder of the archive that `--archive` or else GRAPHLOOM_ARCHIVE names, absolute; `undefined` when neither does. */
export function givenArchive(
  option: string | undefined,
  { env, cwd }: Pick<Terminal, "env" | "cwd">,
): string | undefined {
  const given = option ?? (env?.GRAPHLOOM_ARCHIVE || undefined);
  return given === undefined ? undefined : resolve(cwd, given);
}

/**
 * Like `givenArchive`, for a command that can read from the archive alone. @throws UsageError for `--offline` without
 * one
 */
export function archiveToRead(
  { archive, offline }: { readonly archive?: string | undefined; readonly offline: boolean },
  terminal: Pick<Terminal, "env" | "cwd">,
): string | undefined {
  const given = givenArchive(archive, terminal);
  if (given !== undefined || !offline) return given;
  throw new UsageError(
    "--offline requires an archive to read from: pass --archive <folder>, or set GRAPHLOOM_ARCHIVE.",
  );
}
