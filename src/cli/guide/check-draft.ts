import { resolve } from "node:path";
import type { Host } from "../../compiler/host.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import type { Guide } from "./guide-context.js";

/**
 * Checks a configuration that is not written yet, and shows its errors.
 * @param files the configuration and the files to be written beside it: contents by path, as the user gave it
 * @returns whether it compiles
 */
export async function checkDraft(
  config: string,
  files: ReadonlyMap<string, string>,
  { args, plain: terminal, host }: Guide,
): Promise<boolean> {
  const draft = withDrafts(files, host, terminal.cwd);
  const { model, diagnostics } = await compileConfig(config, false, {}, args, terminal, { host: draft });
  if (!model) reportDiagnostics(diagnostics, args, terminal);
  return model !== undefined;
}

/** A host that also sees files that are not written yet. */
function withDrafts(files: ReadonlyMap<string, string>, host: Host, cwd: string): Host {
  const drafts = new Map([...files].map(([path, text]) => [resolve(cwd, path), text]));
  return {
    ...host,
    readFile: async (path, limit) => {
      const text = drafts.get(resolve(cwd, path));
      return text === undefined
        ? host.readFile(path, limit)
        : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
  };
}
