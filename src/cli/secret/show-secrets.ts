import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { printRows } from "../subgraph/print-rows.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { checkSecretName } from "./secret-name.js";

/** Lists the project's secrets; returns the exit code. */
export async function listSecrets(
  args: RemoteArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const { api } = await openSession(args, terminal);
  printRows(
    await api.listSecrets(),
    [
      { title: "SECRET", cell: ({ name }) => name },
      { title: "TYPE", cell: ({ type }) => type },
      { title: "CHANGED", cell: ({ updated_at }) => updated_at },
      { title: "DESCRIPTION", cell: ({ description }) => description ?? "-", mayShrink: true },
    ],
    { ...args, empty: "There are no secrets yet." },
    terminal,
  );
  return exitCodes.clean;
}

/** Shows the value of a secret; returns the exit code. */
export async function revealSecret(
  args: RemoteArguments & OutputArguments & { readonly name: string },
  terminal: Terminal,
): Promise<number> {
  checkSecretName(args.name);
  const { api } = await openSession(args, terminal);
  const value = await api.revealSecret(args.name);
  if (args.output === "json") printJson(value, terminal);
  else {
    const width = Math.max(0, ...Object.keys(value).map(({ length }) => length));
    for (const [field, text] of Object.entries(value)) {
      const shown = typeof text === "string" ? text : JSON.stringify(text);
      terminal.out(`${visible(field).padEnd(width)}  ${visible(shown)}\n`);
    }
  }
  return exitCodes.clean;
}
