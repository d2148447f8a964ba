import { dirname, join, resolve } from "node:path";
import type { Host } from "../../compiler/host.js";
import { watchFiles } from "../named/watch-files.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { testOnce } from "./test-once.js";
import type { TestTools } from "./test-tools.js";

/**
 * Runs the tests of a project, and again whenever one of the files that they depend on changes or a test file is added,
 * until interrupted. Files that are missing are watched too.
 * @returns the exit code
 * @throws DatabaseError
 */
export async function watchTests(tools: TestTools, terminal: Terminal): Promise<number> {
  const { junit } = tools.args;
  return watchFiles({ ...terminal, asc: tools.asc }, async ({ host, settle }) => {
    const folders = new Set<string>();
    const readNow = (path: string): Uint8Array | undefined => {
      settle(path);
      return tools.readNow(path);
    };
    await testOrSay({ ...tools, host: watchingFolders(host, settle, folders), readNow }, terminal);
    // The report that this run wrote is not a change.
    const written = junit === undefined ? undefined : dirname(resolve(terminal.cwd, junit));
    if (written !== undefined && folders.has(written)) settle(written);
    return "";
  });
}

/** Runs the tests once. Later edits may add tests to a project without any. */
async function testOrSay(tools: TestTools, terminal: Terminal): Promise<void> {
  try {
    await testOnce(tools, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.err(error.text);
  }
}

/** A host that also watches the folders that it lists, except those of packages. */
function watchingFolders(host: Host, watch: (folder: string) => void, folders: Set<string>): Host {
  const note = (folder: string): void => {
    if (folders.has(folder)) return;
    folders.add(folder);
    watch(folder);
  };
  return {
    ...host,
    filesUnder: async (folder, depth) => {
      const isWatched = !folder.includes("/node_modules");
      if (isWatched) note(folder);
      const files = (await host.filesUnder?.(folder, depth)) ?? [];
      if (isWatched) for (const file of files) note(dirname(join(folder, file)));
      return files;
    },
  };
}
