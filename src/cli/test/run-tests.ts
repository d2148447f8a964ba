import { createNodeHost } from "../../machine/files/host.js";
import type { Terminal } from "../terminal/terminal.js";
import { testOnce } from "./test-once.js";
import { openTools, type TestArguments } from "./test-tools.js";

/** Runs the tests of a project and shows them; returns the exit code. */
export async function runTests(args: TestArguments, terminal: Terminal): Promise<number> {
  const { tools, close } = openTools(
    args,
    createNodeHost({ cwd: terminal.cwd, within: terminal.within }),
    terminal,
  );
  try {
    if (!args.watch) return await testOnce(tools, terminal);
    const { watchTests } = await import("./watch-tests.js");
    return await watchTests(tools, terminal);
  } finally {
    await close();
  }
}
