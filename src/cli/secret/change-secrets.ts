import type { Secret } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { isSecretName } from "../../api/secret-types.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { checkDescription } from "../subgraph/description.js";
import { made, makeChange } from "../subgraph/make-change.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { askValue, canAsk } from "./ask-value.js";
import { givenValue } from "./given-value.js";
import { checkSecretName, nameRule } from "./secret-name.js";

export interface SecretCreateArguments extends RemoteArguments, OutputArguments {
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  readonly description?: string | undefined;
}

/** Creates a secret and asks for missing arguments. Returns the exit code. */
export async function createSecret(args: SecretCreateArguments, terminal: Terminal): Promise<number> {
  const { description, output } = args;
  if (args.name !== undefined) checkSecretName(args.name);
  else if (!canAsk(terminal)) throw new UsageError("Give the secret a name: --name <name>");
  checkDescription(description);
  const isAsked = args.value === undefined && canAsk(terminal);
  // Without a terminal, the value is read from standard input.
  const given = isAsked ? undefined : await givenValue(args.value ?? "-", terminal);
  const { api } = await openSession(args, terminal);
  const value = given ?? (canAsk(terminal) ? await askValue(terminal) : undefined);
  if (!value) return declined(terminal);
  const name = args.name ?? (await askName(terminal));
  if (name === undefined) return declined(terminal);
  const secret = await makeChange<Secret>({
    claim: `the secret ${name} was created`,
    make: () => api.createSecret({ name, value, ...(description !== undefined && { description }) }),
    look: async () => {
      const answer = await find(api, name);
      return answer && { answer };
    },
    advice: "Check whether it exists: graphloom secret list",
  });
  if (output === "json") printJson(secret, terminal);
  else terminal.out(`Created the secret ${visible(secret.name)} (${visible(secret.type)}).\n`);
  return exitCodes.clean;
}

export interface SecretUpdateArguments
  extends RemoteArguments,
    Pick<SecretCreateArguments, "value" | "description"> {
  readonly name: string;
}

/** Changes a secret; returns the exit code. */
export async function updateSecret(args: SecretUpdateArguments, terminal: Terminal): Promise<number> {
  const { name, description } = args;
  checkSecretName(name);
  checkDescription(description);
  if (args.value === undefined && description === undefined)
    throw new UsageError("Specify what to change: --value or --description.");
  const value = args.value === undefined ? undefined : await givenValue(args.value, terminal);
  const { api } = await openSession(args, terminal);
  await makeChange({
    claim: `the secret ${name} was changed`,
    make: () =>
      api.updateSecret(name, { ...(value && { value }), ...(description !== undefined && { description }) }),
    // The list does not show whether a secret has the new value.
    look: async () => Promise.reject(new Error("unknown")),
    advice: "You can run the same command again.",
  });
  terminal.out(`Changed the secret ${name}.\n`);
  return exitCodes.clean;
}

/** Deletes a secret; returns the exit code. */
export async function deleteSecret(
  args: RemoteArguments & { readonly name: string; readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const { name, force } = args;
  checkSecretName(name);
  const { api } = await openSession(args, terminal);
  if (!(await confirm(`Delete the secret ${name}?`, force, terminal))) return declined(terminal);
  await makeChange({
    claim: `the secret ${name} was deleted`,
    make: () => api.deleteSecret(name),
    look: async () => ((await find(api, name)) ? undefined : made),
    advice: "Check whether it still exists: graphloom secret list",
  });
  terminal.out(`Deleted the secret ${name}.\n`);
  return exitCodes.clean;
}

async function askName(terminal: Terminal): Promise<string | undefined> {
  for (;;) {
    const name = (await terminal.ask?.("Name of the secret: "))?.trim();
    if (name === undefined || isSecretName(name)) return name;
    terminal.err(`${nameRule}\n`);
  }
}

async function find(api: ManagementApi, name: string): Promise<Secret | undefined> {
  return (await api.listSecrets()).find((secret) => secret.name === name);
}
