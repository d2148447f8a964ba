import type { CreatedWebhook } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { visible } from "../../base/text/visible.js";
import { isWebAddress, shownAddress } from "../../web/http/address.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { confirm, declined } from "./confirm.js";
import { made, makeChange } from "./make-change.js";
import type { SubgraphArguments } from "./manage-subgraph.js";
import { printRows } from "./print-rows.js";
import { subgraphVersion } from "./subgraph-version.js";

export interface CreateWebhookArguments extends SubgraphArguments, OutputArguments {
  readonly name: string;
  readonly url: string;
  readonly entity: string;
  readonly secret?: string | undefined;
  readonly fromStart: boolean;
}

const longestName = 42;

/** Creates a webhook and shows its secret, which cannot be read later; returns the exit code. */
export async function createWebhook(args: CreateWebhookArguments, terminal: Terminal): Promise<number> {
  const { name: subgraph, version } = subgraphVersion(args.nameAndVersion);
  checkName(args.name);
  if (!isWebAddress(args.url))
    throw new UsageError("--url must be a complete address, starting with http:// or https://");
  const { api } = await openSession(args, terminal);
  const created = await makeChange<CreatedWebhook | undefined>({
    claim: `the webhook ${args.name} was created`,
    make: () =>
      api.createWebhook({
        name: args.name,
        subgraph_name: subgraph,
        subgraph_version: version,
        entity: args.entity,
        webhook_url: args.url,
        ...(args.secret !== undefined && { secret: args.secret }),
        ...(args.fromStart && { from_start: true }),
      }),
    look: async () => ((await isThere(api, args.name)) ? made : undefined),
    advice:
      "Check whether it exists: graphloom subgraph webhook list. If it does, its secret is lost: delete it " +
      `with graphloom subgraph webhook delete ${quoted(args.name)}, and create it again.`,
  });
  if (!created) return secretLost(args.name, terminal);
  if (args.output === "json") {
    printJson(created, terminal);
    return exitCodes.clean;
  }
  const { id, name, webhook_secret } = created;
  terminal.out(
    `Created the webhook ${visible(name)} (${visible(id)}) for every change of ${visible(args.entity)} in ${subgraph}/${version}.\n` +
      `Its secret, shown only once: ${visible(webhook_secret)}\n`,
  );
  return exitCodes.clean;
}

/** Reports that a webhook exists whose secret is lost; returns the exit code. */
function secretLost(name: string, terminal: Terminal): number {
  terminal.err(
    `The webhook ${visible(name)} was created, but the response with its secret was lost, and the secret is shown only once.\n` +
      `Delete it with graphloom subgraph webhook delete ${visible(quoted(name))}, and create it again.\n`,
  );
  return exitCodes.remote;
}

/** Quotes a name for a shell. */
function quoted(name: string): string {
  return /^[\w.:/@%+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

async function isThere(api: ManagementApi, name: string): Promise<boolean> {
  return (await api.listWebhooks()).some((webhook) => webhook.name === name);
}

/** Arguments of `subgraph webhook delete`: the name, positional or as an option. */
export interface DeleteWebhookArguments extends RemoteArguments {
  readonly webhookName?: string | undefined;
  readonly name?: string | undefined;
  readonly force: boolean;
}

/** Deletes a webhook; returns the exit code. */
export async function deleteWebhook(args: DeleteWebhookArguments, terminal: Terminal): Promise<number> {
  if (args.webhookName !== undefined && args.name !== undefined && args.webhookName !== args.name)
    throw new UsageError("Two different names given. Pass the name of the webhook once.");
  const name = args.webhookName ?? args.name;
  if (name === undefined) throw new UsageError("Specify a webhook: graphloom subgraph webhook delete <name>");
  checkName(name);
  if (args.name !== undefined && args.webhookName === undefined)
    terminal.err("--name is deprecated here. Instead, use: graphloom subgraph webhook delete <name>\n");
  const { api } = await openSession(args, terminal);
  if (!(await confirm(`Delete the webhook ${visible(name)}?`, args.force, terminal)))
    return declined(terminal);
  await makeChange({
    claim: `the webhook ${name} was deleted`,
    make: () => api.deleteWebhook(name),
    look: async () => ((await isThere(api, name)) ? undefined : made),
    advice: "Check whether it still exists: graphloom subgraph webhook list",
  });
  terminal.out(`Deleted the webhook ${visible(name)}.\n`);
  return exitCodes.clean;
}

/** Lists the project's webhooks; returns the exit code. */
export async function listWebhooks(
  args: RemoteArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const { api } = await openSession(args, terminal);
  printRows(
    await api.listWebhooks(),
    [
      { title: "WEBHOOK", cell: ({ name }) => name, mayShrink: true },
      {
        title: "SUBGRAPH",
        cell: (each) => `${each.subgraph_name}/${each.subgraph_version}`,
        mayShrink: true,
      },
      { title: "ENTITY", cell: ({ entity }) => entity, mayShrink: true },
      { title: "URL", cell: ({ webhook_url }) => shownAddress(webhook_url), mayShrink: true },
    ],
    { ...args, empty: "There are no webhooks yet." },
    terminal,
  );
  return exitCodes.clean;
}

/** Lists the entities of a subgraph that a webhook can be created for; returns the exit code. */
export async function listEntities(
  args: SubgraphArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { api } = await openSession(args, terminal);
  printRows(
    await api.entities(name, version),
    [
      { title: "ENTITY", cell: (entity) => entity.name, mayShrink: true },
      { title: "ROWS", cell: ({ rows }) => rows },
      {
        title: "COLUMNS",
        cell: ({ columns }) => columns.map((column) => column.name).join(", "),
        mayShrink: true,
      },
    ],
    { ...args, empty: `${name}/${version} has no entities yet.` },
    terminal,
  );
  return exitCodes.clean;
}

function checkName(name: string): void {
  if (name.trim() === "") throw new UsageError("A webhook's name must not be blank.");
  if (name.length > longestName)
    throw new UsageError(
      `A webhook's name can have at most ${longestName} characters; this one has ${name.length}.`,
    );
}
