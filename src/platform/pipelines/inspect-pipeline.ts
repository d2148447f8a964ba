import type { TopologyNode } from "../../pipelines/host/pipeline-engine.js";
import { Problem } from "../problem.js";
import { isHeld } from "./pipeline-leases.js";
import { findPipelineVersion, isOver, type PipelineName } from "./pipeline-rows.js";
import type { Pipelines } from "./pipelines.js";
import { requirePipeline } from "./require-pipeline.js";
import type { RowHearer } from "./row-hearers.js";

/** A node that can be inspected. */
export interface InspectedNode extends TopologyNode {
  /** Its part of the definition, in today's form. */
  readonly definition: unknown;
}

/** Nodes of a pipeline that runs here. */
export interface Inspection {
  readonly nodes: readonly InspectedNode[];
  /**
   * Shows rows that pass the nodes, until the returned function is called.
   * @returns `undefined` if it has ended meanwhile
   */
  listen(hearer: RowHearer): (() => void) | undefined;
}

/**
 * Watches nodes of a pipeline or of a preview.
 * @param wanted names of nodes; all by default
 * @throws Problem `pipeline-not-found`; `bad-request` for a node that it does not have; `unprocessable` if it does
 *   not run, or runs on another server; `unavailable` while it is starting; DatabaseError
 */
export async function inspectPipeline(
  { platform: { database }, keeper, previews }: Pipelines,
  named: PipelineName,
  wanted: readonly string[] | undefined,
): Promise<Inspection> {
  const preview = previews.find(named);
  if (preview) {
    const { nodes, document } = preview.meaning;
    const chosen = chosenNodes(withDefinitions(nodes, document), wanted);
    if (preview.runtime === "TERMINATED" || preview.runtime === "COMPLETED") throw notRunning(named.name);
    return {
      nodes: chosen,
      listen: (hearer) =>
        preview.hearers.add(
          chosen.map(({ name }) => name),
          hearer,
        ),
    };
  }
  const row = await requirePipeline(database, named);
  const version = await findPipelineVersion(database, named, row.version);
  const chosen = chosenNodes(withDefinitions(version?.topology ?? [], version?.document), wanted);
  const names = chosen.map(({ name }) => name);
  if (!keeper.runs(named)) {
    if (row.status !== "ACTIVE" || isOver(row)) throw notRunning(named.name);
    if (await isHeld(database, named))
      throw new Problem(
        "unprocessable",
        `Another server with this database runs "${named.name}". Ask that server for its rows.`,
      );
    throw new Problem("unavailable", `"${named.name}" is about to start. Try again.`, { retryAfter: 1 });
  }
  return { nodes: chosen, listen: (hearer) => keeper.tap(named, names, hearer) };
}

function notRunning(name: string): Problem {
  return new Problem("unprocessable", `"${name}" is not running, so no rows pass its nodes. Start it first.`);
}

/** @throws Problem for a node that does not exist */
function chosenNodes(
  nodes: readonly InspectedNode[],
  wanted: readonly string[] | undefined,
): readonly InspectedNode[] {
  if (!wanted) return nodes;
  const known = nodes.map(({ name }) => name);
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return nodes.filter(({ name }) => wanted.includes(name));
  const message = `has no node "${unknown}"; its nodes are ${known.join(", ")}`;
  throw new Problem("bad-request", "The pipeline has no such node.", {
    errors: [{ field: "nodes", message }],
  });
}

function withDefinitions(nodes: readonly TopologyNode[], document: unknown): readonly InspectedNode[] {
  const parts = document as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  return nodes.map((node) => ({ ...node, definition: parts[`${node.kind}s`]?.[node.name] ?? null }));
}
