import type { NewPipeline, PipelineGraph } from "../../../api/contract.js";

/** A definition of the contract as the text of a file. Empty maps may arrive as lists. */
export function contractText(
  name: string,
  { definition, resource_size, description, use_dedicated_ip }: NewPipeline,
): string {
  const { name: _, ...own } = definition;
  const maps = Object.fromEntries(
    (["sources", "transforms", "sinks"] as const).map((part) => [part, mapOf(definition, part)]),
  );
  const beside = {
    ...(resource_size !== undefined && { resource_size }),
    ...(description !== undefined && { description }),
    ...(use_dedicated_ip !== undefined && { use_dedicated_ip }),
  };
  return JSON.stringify({ name, ...own, ...beside, ...maps }, null, 2);
}

function mapOf(definition: PipelineGraph, part: "sources" | "transforms" | "sinks"): unknown {
  const value: unknown = definition[part];
  return Array.isArray(value) && value.length === 0 ? {} : value;
}
