import type { NodeStatus, SinkStatus, TopologyNode } from "../../../pipelines/host/pipeline-engine.js";
import { type Html, html } from "../../http/html.js";
import { digits } from "../parts.js";
import { blockOf, lagOf } from "./pipeline-words.js";

/** A node with its figures while the pipeline runs. */
export interface ShownNode extends TopologyNode {
  /** The dataset or entity of a source. */
  readonly of?: string | undefined;
  /** Of a sink that has started. */
  readonly status?: SinkStatus | undefined;
  /** For a source or transform with known rows. */
  readonly passed?: NodeStatus | undefined;
  /** Blocks between the last written one and the head of the chain, where the head is known. */
  readonly lag?: number | undefined;
}

interface Placed {
  readonly node: ShownNode;
  readonly x: number;
  readonly y: number;
}

/** Of a box and of the space between boxes, in pixels. */
const size = { width: 208, height: 72, across: 120, down: 16, margin: 12 } as const;
/** The most characters of a line in a box. */
const longest = 24;
/** Larger pipelines are shown as a table only. */
const mostDrawn = 100;

/**
 * Draws the nodes of a pipeline from left to right: sources, transforms and sinks, with the rows that were
 * written.
 * @returns `undefined` for a pipeline without nodes, or with too many
 */
export function pipelineGraph(name: string, nodes: readonly ShownNode[]): Html | undefined {
  if (nodes.length === 0 || nodes.length > mostDrawn) return undefined;
  const placed = place(nodes);
  const at = new Map(placed.map((one) => [one.node.name, one]));
  const width = Math.max(...placed.map(({ x }) => x)) + size.width + size.margin;
  const height = Math.max(...placed.map(({ y }) => y)) + size.height + size.margin;
  const edges = placed.flatMap((to) =>
    to.node.reads.flatMap((from) => {
      const source = at.get(from);
      return source ? [edge(source, to)] : [];
    }),
  );
  return html`<div class="map" role="region" aria-label="Graph" tabindex="0"><svg class="flow" role="img" aria-labelledby="graph-title graph-words" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title id="graph-title">Graph of ${name}</title>
<desc id="graph-words">${nodes.map(inWords).join(" ")} The table below has the same content.</desc>
${edges}${placed.map(box)}</svg></div>`;
}

function inWords({ kind, name, type, reads }: ShownNode): string {
  return `${kind} ${name} (${type})${reads.length > 0 ? ` reads ${reads.join(", ")}` : ""}.`;
}

/** Each node is to the right of its inputs, and all sinks are at the end. */
function place(nodes: readonly ShownNode[]): readonly Placed[] {
  const depths = new Map(nodes.map(({ name }) => [name, 0]));
  // A node may be listed before its inputs. The longest path has as many nodes as there are.
  for (const _ of nodes) {
    for (const { name, reads } of nodes)
      depths.set(
        name,
        Math.min(nodes.length, Math.max(-1, ...reads.map((from) => depths.get(from) ?? -1)) + 1),
      );
  }
  const last = Math.max(1, ...depths.values());
  const filled = new Map<number, number>();
  return nodes.map((node) => {
    const column = node.kind === "sink" ? last : (depths.get(node.name) ?? 0);
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return {
      node,
      x: size.margin + column * (size.width + size.across),
      y: size.margin + row * (size.height + size.down),
    };
  });
}

function edge(from: Placed, to: Placed): Html {
  const [x, y] = [from.x + size.width, from.y + size.height / 2];
  const [toX, toY] = [to.x, to.y + size.height / 2];
  const half = (x + toX) / 2;
  const state = to.node.status?.state;
  const kind = state === "stalled" ? " stalled" : state === "halted" ? " halted" : "";
  const path = html`<path class="edge${kind}" d="M${x} ${y}C${half} ${y} ${half} ${toY} ${toX} ${toY}"/>`;
  const texts = flowing(from.node, to.node).map(
    (text, line) =>
      html`<text class="flowing" x="${half}" y="${(y + toY) / 2 - 6 + line * 18}" text-anchor="middle">${text}</text>`,
  );
  return html`${path}${texts}`;
}

/** The figures of the rows between two nodes: their rate and their lag. */
function flowing(from: ShownNode, { status }: ShownNode): readonly string[] {
  const { rate } = status ?? from.passed ?? {};
  const lag = status ? lagOf(status) : from.lag;
  return [
    rate === undefined ? "" : `${digits(rate)} rows/s`,
    lag === undefined ? "" : `${digits(lag)} behind`,
  ];
}

function box({ node, x, y }: Placed): Html {
  const lines = [
    node.name,
    `${node.of ?? node.type}${node.status ? `, ${node.status.state}` : ""}`,
    figures(node),
  ];
  const texts = lines.map(
    (line, index) =>
      html`<text class="line-${index}" x="${x + 12}" y="${y + 22 + index * 19}">${cut(line)}</text>`,
  );
  return html`<g class="node ${node.kind} ${node.status?.state ?? ""}"><rect x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="8"/>${texts}</g>`;
}

function figures({ kind, status, passed }: ShownNode): string {
  if (passed) return `${digits(passed.rows)} rows`;
  if (!status) return kind === "sink" ? "not started" : "";
  const block = blockOf(status);
  return `${digits(status.rows)} rows${block === undefined ? "" : `, block ${digits(block)}`}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
