import { readProblem } from "../../api/answers/read-problem.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import { visible } from "../../base/text/visible.js";
import { createNodeWorld } from "../../machine/world.js";
import { historyPath } from "../../mcp/history-path.js";
import { namedHistory } from "../../platform/pages/entities/named-history.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError } from "../../store/open.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { send } from "../../web/http/send.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { findNamed } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import type { WordArguments } from "../named/word-options.js";
import {
  databaseFailure,
  openSubgraphs,
  placeOfSubgraphs,
  type SubgraphArguments,
} from "../pipeline/sources/open-subgraphs.js";
import { printJson } from "../remote/print-json.js";
import { openSession } from "../remote/session.js";
import { parseProjectName } from "../subgraph/project-name.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface WhyArguments extends WordArguments, SubgraphArguments, CacheArguments, OutputArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly entity: string;
  readonly id: string;
  /** For a file of a subgraph on several chains. */
  readonly chain?: string | undefined;
  /** From an earlier answer. */
  readonly before?: string | undefined;
}

/** Prints the history of an entity, from a database or from a server; returns the exit code. */
export async function explainEntity(args: WhyArguments, terminal: Terminal): Promise<number> {
  if (args.before !== undefined && !/^\d{1,18}$/.test(args.before))
    throw new UsageError("--before must be the number that an earlier answer ends with.");
  const place = placeOfSubgraphs(args, terminal);
  const history = await (place === undefined ? ofServer(args, terminal) : ofDatabase(args, place, terminal));
  if (history === undefined) return exitCodes.diagnostics;
  if (args.output === "json") printJson(history, terminal);
  else terminal.out(historyAsText(history));
  return exitCodes.clean;
}

/** @throws UsageError; ApiProblem, HttpError */
async function ofServer(args: WhyArguments, terminal: Terminal): Promise<unknown> {
  const { entity, id, before } = args;
  const { name, version } = subgraphVersion(args.subgraph);
  const { url, token, project } = await openSession(args, terminal);
  const server = url.replace(/\/api\/v1$/, "");
  const answer = await send(
    {
      method: "GET",
      url: `${server}${historyPath({ name, version, entity }, { id, before })}`,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${token}`,
        ...(project && { "graphloom-project": project.id }),
      },
      retry: true,
    },
    createNodeWorld(terminal.signal),
  );
  const document = parseJson(answer.text);
  if (answer.status === 200 && isRecord(document) && isRecord(document.data)) return document.data;
  if (answer.status >= 400) throw readProblem("getSubgraphVersion", answer, [token]);
  throw new UsageError(`The server at ${url} keeps no histories of entities.`);
}

/** @returns `undefined` after a printed failure @throws UsageError */
async function ofDatabase(args: WhyArguments, place: string, terminal: Terminal): Promise<unknown> {
  try {
    const { database } = await openSubgraphs(place);
    try {
      return await historyIn(database, args, terminal);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    terminal.err(`${visible(databaseFailure(error))}\n`);
    return undefined;
  }
}

async function historyIn(database: Database, args: WhyArguments, terminal: Terminal): Promise<unknown> {
  const { subgraph: word, entity, id, before } = args;
  const ofFile = await isFile(word, terminal);
  const subgraph = ofFile
    ? await buildsOf(args, terminal)
    : { word, ...(parseProjectName(word) ?? { name: word }) };
  if (!subgraph) return undefined;
  const found = await namedHistory(database, { subgraph, entity, id, before }, terminal.signal);
  switch (found.kind) {
    case "history":
      return found.history;
    case "unknown-subgraph":
      if (!ofFile) throw new UsageError(`The database has no subgraph ${visible(word)}.`);
      throw new UsageError(
        `The database has not indexed ${visible(word)} as it is now.`,
        "If the file has changed since, name the subgraph or its deployment instead.",
      );
    case "several": {
      const advice = ofFile ? "Name its chain with --chain." : "Name one by its id, or name a version.";
      throw new UsageError(
        `${visible(word)} stands for several deployments: ${found.deployments.join(", ")}. ${advice}`,
      );
    }
    case "unknown-type":
      throw new UsageError(
        `${visible(word)} has no entity type ${visible(entity)}. It has ${visible(found.types.join(", "))}.`,
      );
    case "unknown-entity":
      throw new UsageError(`There is no ${visible(found.type)} with the id "${visible(id.slice(0, 200))}".`);
  }
}

async function isFile(word: string, terminal: Terminal): Promise<boolean> {
  const { kind } = await hostOfTerminal(terminal).readFile(word, 0);
  return kind !== "missing" || /\.(?:json|ya?ml)$/.test(word);
}

/** The builds of a file, one for each chain. @returns `undefined` after printed mistakes @throws UsageError */
async function buildsOf(args: WhyArguments, terminal: Terminal): Promise<readonly ReadBuild[] | undefined> {
  const { subgraph, chain, network, networkFile, cache, verbose } = args;
  const named = await findNamed(subgraph, hostOfTerminal(terminal));
  const options = { optimize: "fast", network, networkFile, cache, verbose, remote: args } as const;
  const { found, diagnostics } = await loadNamed(named, options, terminal);
  if (!found) {
    reportDiagnostics(diagnostics, { format: "text", color: false }, terminal);
    return undefined;
  }
  const builds = found.builds.filter((one) => chain === undefined || one.chain === chain);
  if (builds.length > 0) return builds.map(({ build }) => build);
  const chains = found.builds.map((one) => one.chain).join(", ");
  throw new UsageError(
    `${visible(subgraph)} is not on ${visible(chain ?? "")}. Its chains: ${visible(chains)}.`,
  );
}

/** The history of an entity as text. It may come from a server, so nothing about its form is certain. */
function historyAsText(history: unknown): string {
  const { entity, id, versions, before } = isRecord(history) ? history : {};
  const known = Array.isArray(versions) ? versions.filter(isRecord) : [];
  const last =
    typeof before === "string"
      ? `Older versions: pass --before ${visible(before)}\n`
      : "There are no older versions.\n";
  return `${shown(entity)} ${shown(id)}, newest version first\n\n${known.map(versionAsText).join("\n")}\n${last}`;
}

type Fields = Readonly<Record<string, unknown>>;

function versionAsText({ block, ended_in_block: ended, time, transaction, ...version }: Fields): string {
  const { values, changed_fields: changed, written_by: writer } = version;
  const until = ended === null || ended === undefined ? "" : ` until block ${shown(ended)}`;
  const facts = [time, transaction].filter((fact) => typeof fact === "string").map(shown);
  const changes = Array.isArray(changed) ? new Set<unknown>(changed) : undefined;
  const lines = Object.entries(isRecord(values) ? values : {}).map(
    ([field, value]) => `  ${changes?.has(field) ? "*" : " "} ${visible(field)}: ${shown(value)}`,
  );
  return [
    [`block ${shown(block)}${until}`, ...facts].join("  "),
    ...writersAsText(isRecord(writer) ? writer : {}),
    ...lines,
    "",
  ].join("\n");
}

function writersAsText({ kind, handlers, is_certain: isCertain, base }: Fields): readonly string[] {
  if (kind === "store") return ["  computed by the store, from a timeseries"];
  if (kind === "graft") return [`  copied from ${shown(base)}`];
  if (kind !== "handlers" || !Array.isArray(handlers)) return ["  written by a handler that is not known"];
  const may = isCertain === true && handlers.length === 1 ? "written by" : "may be written by";
  return handlers.filter(isRecord).map(({ source, trigger, handler, place }) => {
    const at = typeof place === "string" ? `  ${shown(place)}` : "";
    return `  ${may} ${shown(handler)}, for ${shown(trigger)} of ${shown(source)}${at}`;
  });
}

function shown(value: unknown): string {
  return visible(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}
