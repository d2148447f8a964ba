import type { Subgraph } from "../../api/contract.js";
import { idlenessOf, retriesOf } from "../../api/retried-deployment.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { listing, tableWidth } from "./listing.js";
import { subgraphName } from "./subgraph-version.js";

export interface ListArguments extends RemoteArguments {
  readonly nameAndVersion?: string | undefined;
  readonly filter?: "tags" | "deployments" | undefined;
  readonly summary: boolean;
  readonly output: "table" | "json" | "lines";
}

/**
 * Lists the project's subgraphs as a table, failed ones first, or all details of the versions of one name or of one
 * version; returns the exit code.
 */
export async function listSubgraphs(args: ListArguments, terminal: Terminal): Promise<number> {
  const wanted = args.nameAndVersion === undefined ? undefined : subgraphName(args.nameAndVersion);
  const { api } = await openSession(args, terminal);
  const { found, all } = await find(api, wanted, args.output === "table");
  const shown = found.filter(
    ({ tag }) => args.filter === undefined || (args.filter === "tags") === (tag !== undefined),
  );
  if (args.output === "json") printJson(shown, terminal);
  else if (args.output === "lines") terminal.out(shown.map(scriptLines).join(""));
  else if (shown.length === 0) terminal.out(`${nothing(args, wanted?.name)}\n`);
  else if (args.summary || wanted === undefined)
    terminal.out(summary(failuresFirst(shown), all, tableWidth(terminal)));
  else terminal.out(shown.map((each) => details(each, all)).join("\n"));
  return exitCodes.clean;
}

/** Finds the requested entries, and all entries whose tags may point to them. */
async function find(
  api: Awaited<ReturnType<typeof openSession>>["api"],
  wanted: ReturnType<typeof subgraphName> | undefined,
  withTags: boolean,
): Promise<{ readonly found: readonly Subgraph[]; readonly all: readonly Subgraph[] }> {
  if (wanted?.version !== undefined) {
    const one = await api.requireSubgraphVersion(wanted.name, wanted.version);
    return { found: [one], all: withTags ? await api.getSubgraph(wanted.name) : [one] };
  }
  const all = wanted ? await api.getSubgraph(wanted.name) : await api.listSubgraphs();
  return { found: all, all };
}

function nothing({ filter }: ListArguments, name: string | undefined): string {
  const isOfTags = filter === "tags";
  if (name !== undefined) return `${name} has no ${isOfTags ? "tags" : "versions"}.`;
  return `There are no ${isOfTags ? "tags" : "subgraphs"} yet.`;
}

/** Failed ones first, then unhealthy ones, then all others, otherwise in the given order. */
function failuresFirst(shown: readonly Subgraph[]): readonly Subgraph[] {
  const rank = ({ health }: Subgraph): number => (health === "FAILED" ? 0 : health === "UNHEALTHY" ? 1 : 2);
  return [...shown].sort((one, other) => rank(one) - rank(other));
}

function summary(shown: readonly Subgraph[], all: readonly Subgraph[], width: number): string {
  return listing(
    [
      { title: "SUBGRAPH", cell: (subgraph) => label(subgraph), mayShrink: true },
      { title: "CHAIN", cell: ({ network }) => network, mayShrink: true },
      { title: "STATUS", cell: ({ status }) => status.toLowerCase() },
      { title: "HEALTH", cell: ({ health }) => health.toLowerCase() },
      { title: "INDEXED", cell: (subgraph) => indexed(subgraph) },
      { title: "TAGS", cell: (subgraph) => tagsOf(subgraph, all).join(", ") || "-", mayShrink: true },
      ...(shown.some((subgraph) => errorOf(subgraph) !== "")
        ? [{ title: "ERROR", cell: errorOf, mayShrink: true }]
        : []),
    ],
    shown,
    width,
  );
}

/** All details of an entry, as a block of lines. */
function details(subgraph: Subgraph, all: readonly Subgraph[]): string {
  const { network, status, health, description, deployments } = subgraph;
  const deployment = deployments[0];
  const tags = tagsOf(subgraph, all);
  const rows: (readonly [string, string] | undefined)[] = [
    deployment && ["deployment", `${deployment.deployment_id}, ${deployment.created_at}`],
    ["public", subgraph.public_endpoint_enabled ? subgraph.graphql_endpoint : "disabled"],
    ["private", subgraph.private_endpoint_enabled ? subgraph.private_graphql_endpoint : "disabled"],
    tags.length > 0 ? ["tags", tags.join(", ")] : undefined,
    description ? ["about", description] : undefined,
    deployment?.fatal_error
      ? [retriesOf(deployment) ? "failing" : "failed", deployment.fatal_error]
      : undefined,
    ...(deployment?.non_fatal_errors ?? []).slice(0, 3).map((error) => ["error", error] as const),
    ...idlenessOf(deployment),
  ];
  const head = `${label(subgraph)}  ${network}, ${status.toLowerCase()}, ${health.toLowerCase()}, ${indexed(subgraph)}`;
  return [
    `${visible(head)}\n`,
    ...rows.flatMap((row) => (row ? [`  ${row[0].padEnd(10)}  ${visible(row[1])}\n`] : [])),
  ].join("");
}

/** An entry as Goldsky's command prints it. Scripts search for the star, the arrow and the words before the colons. */
function scriptLines(subgraph: Subgraph): string {
  const { name, version, tag, status, health, synced, deployments } = subgraph;
  const progress = deployments[0]?.indexing_progress;
  const isPublic = subgraph.public_endpoint_enabled;
  const percent = synced ? 100 : Math.floor(progress?.progress_percent ?? 0);
  const lines = [
    `* ${name}/${version}${tag?.target_version === undefined ? "" : ` -> ${name}/${tag.target_version}`}`,
    `  GraphQL API: ${isPublic ? subgraph.graphql_endpoint : subgraph.private_graphql_endpoint}`,
    `  Status: ${health.toLowerCase()} (${status.charAt(0)}${status.slice(1).toLowerCase()})`,
    `  Synced: ${percent}%`,
    ...(progress ? [`  Blocks indexed: ${progress.deployment_head_block}`] : []),
  ];
  return lines.map((line) => `${visible(line)}\n`).join("");
}

/** Why indexing failed; empty if it did not. */
function errorOf({ deployments }: Subgraph): string {
  return deployments[0]?.fatal_error ?? "";
}

function label({ name, version, tag }: Subgraph): string {
  return `${name}/${version}${tag?.target_version === undefined ? "" : ` -> ${tag.target_version}`}`;
}

/** The tags in the list that point to a version. */
function tagsOf({ name, version, tag }: Subgraph, all: readonly Subgraph[]): readonly string[] {
  if (tag) return [];
  return all
    .filter((each) => each.name === name && each.tag?.target_version === version)
    .map((each) => each.version);
}

/** Indexing progress. A deployment in trouble shows its block, even if it once reached the chain head. */
function indexed({ synced, health, deployments }: Subgraph): string {
  const progress = deployments[0]?.indexing_progress;
  if (progress && progress.chain_head_block < progress.deployment_start_block) {
    return `waiting for block ${progress.deployment_start_block}`;
  }
  if (health === "FAILED" || health === "UNHEALTHY") {
    return progress ? `block ${progress.deployment_head_block}` : "no block yet";
  }
  if (synced) return "synced";
  return progress ? `${Math.floor(progress.progress_percent * 10) / 10} %` : "no block yet";
}
