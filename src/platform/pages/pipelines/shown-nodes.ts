import { networkOfDataset } from "../../../pipelines/host/source-network.js";
import type { PipelineRow, PipelineVersion } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import type { ShownNode } from "./pipeline-graph.js";

/**
 * The nodes of a version with what is known of them. The lag of a source is that of the sink that is farthest behind,
 * and that of a transform the one of its sources.
 */
export async function readShownNodes(
  { platform: { hosting } }: Pick<Pipelines, "platform">,
  { sinks, nodes: given, version: current }: PipelineRow,
  { topology, document, version }: PipelineVersion,
): Promise<readonly ShownNode[]> {
  const readings = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
  const heads = new Map(
    readings.flatMap(({ network, head }) => (head === undefined ? [] : [[network, head]])),
  );
  const sources = (document.sources ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const shown = topology.map((node): ShownNode => {
    if (node.kind === "sink") return { ...node, status: sinks[node.name] };
    const passed = version === current ? given[node.name] : undefined;
    if (node.kind === "transform") return { ...node, passed };
    const { dataset_name: dataset, entity } = sources[node.name] ?? {};
    const of = typeof dataset === "string" ? dataset : entity;
    const network = typeof dataset === "string" ? networkOfDataset(dataset) : undefined;
    const head = network === undefined ? undefined : heads.get(network);
    const blocks = Object.values(sinks).flatMap((sink) => sink.blocks[node.name] ?? []);
    const seen = Object.values(sinks).flatMap((sink) => sink.lag?.[node.name] ?? []);
    const ownLag =
      head === undefined || blocks.length === 0 ? undefined : Math.max(0, head - Math.min(...blocks));
    const lag = seen.length > 0 ? Math.max(...seen) : ownLag;
    return { ...node, ...(typeof of === "string" && { of }), passed, lag };
  });
  return shown.map((node) =>
    node.kind === "transform" ? { ...node, lag: lagBefore(node, shown, new Set()) } : node,
  );
}

/** The lag of the source that is farthest behind, of those before a node. @param seen nodes that were looked at */
function lagBefore(node: ShownNode, nodes: readonly ShownNode[], seen: Set<string>): number | undefined {
  const lags = node.reads.flatMap((name) => {
    const before = nodes.find((one) => one.name === name);
    if (!before || seen.has(name)) return [];
    seen.add(name);
    return (before.kind === "source" ? before.lag : lagBefore(before, nodes, seen)) ?? [];
  });
  return lags.length === 0 ? undefined : Math.max(...lags);
}
