import { networkOfDataset } from "../../../pipelines/source-network.js";
import type { PipelineRow, PipelineVersion } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import type { ShownNode } from "./pipeline-graph.js";

/**
 * The nodes of a version with what is known of them. The lag of a source is that of the sink that is farthest behind.
 */
export async function readShownNodes(
  { platform: { hosting } }: Pick<Pipelines, "platform">,
  { sinks }: PipelineRow,
  { topology, document }: PipelineVersion,
): Promise<readonly ShownNode[]> {
  const readings = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
  const heads = new Map(
    readings.flatMap(({ network, head }) => (head === undefined ? [] : [[network, head]])),
  );
  const sources = (document.sources ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return topology.map((node): ShownNode => {
    if (node.kind === "sink") return { ...node, status: sinks[node.name] };
    if (node.kind === "transform") return node;
    const { dataset_name: dataset, entity } = sources[node.name] ?? {};
    const of = typeof dataset === "string" ? dataset : entity;
    const network = typeof dataset === "string" ? networkOfDataset(dataset) : undefined;
    const head = network === undefined ? undefined : heads.get(network);
    const blocks = Object.values(sinks).flatMap((sink) => sink.blocks[node.name] ?? []);
    const seen = Object.values(sinks).flatMap((sink) => sink.lag?.[node.name] ?? []);
    const ownLag =
      head === undefined || blocks.length === 0 ? undefined : Math.max(0, head - Math.min(...blocks));
    const lag = seen.length > 0 ? Math.max(...seen) : ownLag;
    return { ...node, ...(typeof of === "string" && { of }), lag };
  });
}
