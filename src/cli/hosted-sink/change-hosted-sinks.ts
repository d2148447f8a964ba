import type { HostedSink, NewHostedSink } from "../../api/hosted-sink-operations.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { checkSecretName } from "../secret/secret-name.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { checkDescription } from "../subgraph/description.js";
import { makeChange } from "../subgraph/make-change.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";

/** Arguments of `hosted-sink create`. */
export interface HostedSinkArguments extends RemoteArguments, OutputArguments {
  readonly type: NewHostedSink["type"];
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** Creates a database on the server; returns the exit code. */
export async function createHostedSink(args: HostedSinkArguments, terminal: Terminal): Promise<number> {
  const { type, name, description, output } = args;
  if (name !== undefined) checkSecretName(name);
  checkDescription(description);
  const { hostedSinks } = await openSession(args, terminal);
  const sink = await makeChange<HostedSink>({
    claim: "the hosted sink was created",
    make: () =>
      hostedSinks.create({
        type,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      }),
    // Another secret with this name does not show who created it.
    look: async () => Promise.reject(new Error("unknown")),
    advice: "Check whether its secret exists: graphloom secret list",
  });
  if (output === "json") printJson(sink, terminal);
  else {
    terminal.out("Created the hosted sink. Pipelines use it by the name of its secret, as secret_name.\n\n");
    terminal.out(`Name  ${visible(sink.name)}\nId    ${visible(sink.id)}\nType  ${visible(sink.type)}\n`);
  }
  return exitCodes.clean;
}

/** Deletes a database that the server hosts; returns the exit code. */
export async function deleteHostedSink(
  args: RemoteArguments & { readonly name: string; readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const { name, force } = args;
  checkSecretName(name);
  const { hostedSinks } = await openSession(args, terminal);
  const question = `Delete the hosted sink ${name}, with all rows of its database and its secret?`;
  if (!(await confirm(question, force, terminal))) return declined(terminal);
  await makeChange({
    claim: `the hosted sink ${name} was deleted`,
    make: () => hostedSinks.remove(name),
    look: async () => Promise.reject(new Error("unknown")),
    advice: "You can run the same command again.",
  });
  terminal.out(`Deleted the hosted sink ${name}.\n`);
  return exitCodes.clean;
}
