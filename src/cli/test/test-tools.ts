import type { Asc } from "../../compiler/asc/asc.js";
import type { CacheStore } from "../../compiler/cache/cache-store.js";
import type { Host } from "../../compiler/host.js";
import { startAsc } from "../../machine/compiler/asc.js";
import { isWithin } from "../../machine/files/is-within.js";
import { readNow } from "../../machine/files/read-now.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Database } from "../../store/database/database.js";
import type { ImageStore } from "../../store/database/pglite/images.js";
import { openOwnDatabase } from "../../store/open.js";
import { openCache } from "../cache/open-cache.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments } from "../terminal/usage/options.js";

export interface TestArguments extends CacheArguments {
  readonly names?: readonly string[] | undefined;
  readonly recompile: boolean;
  /** The file of the report for CI servers, relative to the current folder. */
  readonly junit?: string | undefined;
  /** Whether to show which handlers the tests run. */
  readonly coverage: boolean;
  readonly watch: boolean;
  readonly color: boolean;
}

/** The tools that compile and run tests. They stay open from one run to the next. */
export interface TestTools {
  readonly args: TestArguments;
  readonly host: Host;
  /** Reads a file at once, for a running test. @returns `undefined` if there is none */
  readNow(path: string): Uint8Array | undefined;
  readonly asc: Asc;
  /** Keeps compiled mappings and the image of the database. */
  readonly cache: (CacheStore & ImageStore) | undefined;
  /** A migrated database for the entities of tests, opened when it is needed. @throws DatabaseError */
  database(): Promise<Database>;
}

/** What tests read files with. A confined terminal has none outside of its folder. */
function readerFor({ within }: Terminal): TestTools["readNow"] {
  return (path) => (within === undefined || isWithin(within, path) ? readNow(path) : undefined);
}

/** Opens the tools of a command. @returns the tools, and a function that closes them */
export function openTools(
  args: TestArguments,
  host: Host,
  terminal: Terminal,
): { readonly tools: TestTools; close(): Promise<void> } {
  const asc = terminal.asc ?? startAsc();
  const cache = args.recompile ? undefined : openCache(args, terminal);
  let opened: Promise<Database> | undefined;
  const database = (): Promise<Database> => {
    opened ??= openOwnDatabase(undefined, createNodeWorld(terminal.signal), cache);
    return opened;
  };
  return {
    tools: { args, host, readNow: readerFor(terminal), asc, cache, database },
    close: async () => {
      // The user already knows why a database could not be opened.
      await opened?.then(
        (one) => one.close(),
        () => undefined,
      );
      if (asc !== terminal.asc) await asc.close();
    },
  };
}
