import { visible } from "../../base/text/visible.js";
import type { KeptChain } from "../../datasets/archive/kept-chains.js";
import type { SegmentKind } from "../../datasets/archive/segments/manifest.js";
import { type ChainSurvey, surveyChain } from "../../datasets/archive/verify/survey.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import { printJson } from "../remote/print-json.js";
import { printRows } from "../subgraph/print-rows.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { size } from "../terminal/size.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { type ArchiveArguments, onChains, titleOf } from "./open-chains.js";

interface ListedChain {
  readonly chain: KeptChain;
  readonly survey: ChainSurvey;
}

/** The most block ranges of a chain in a table. */
const mostRanges = 2;

/** Lists the chains of an archive; returns the exit code. */
export async function listArchive(
  args: ArchiveArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  return onChains(args, terminal, async ({ folder, chains }) => {
    const listed = chains.map((chain) => ({ chain, survey: surveyChain(chain) }));
    if (args.output === "json") printJson({ folder, chains: listed.map(asJson) }, terminal);
    else show(listed, terminal);
    return exitCodes.clean;
  });
}

function show(listed: readonly ListedChain[], terminal: Terminal): void {
  const rows = (kind: SegmentKind) => ({
    title: kind.toUpperCase(),
    cell: ({ survey }: ListedChain) => `${survey.kinds[kind].rows}`,
  });
  printRows(
    listed,
    [
      { title: "CHAIN", cell: ({ chain }) => chain.folder },
      { title: "NETWORKS", cell: ({ chain }) => chain.networks.join(", ") || "-", mayShrink: true },
      { title: "RANGES", cell: ({ survey }) => rangesText(survey.ranges) },
      { title: "FINAL", cell: ({ chain }) => `${chain.manifest.marks?.final.number ?? "-"}` },
      { title: "SEGMENTS", cell: ({ survey }) => `${survey.segments}` },
      rows("blocks"),
      rows("logs"),
      rows("answers"),
      { title: "SIZE", cell: ({ survey }) => size(survey.bytes) },
    ],
    { output: "table", empty: "The archive is empty." },
    terminal,
  );
  for (const { chain } of listed) {
    const { length } = chain.manifest.aside;
    if (length > 0)
      terminal.out(
        `${visible(titleOf(chain))}: ${count(length, "segment")} set aside. To see why: graphloom archive verify. To remove: graphloom archive prune --damaged\n`,
      );
  }
}

function rangesText(ranges: readonly BlockRange[]): string {
  const shown = ranges.slice(0, mostRanges).map(({ from, to }) => `${from}-${to}`);
  const more = ranges.length - shown.length;
  return shown.length === 0 ? "-" : `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function asJson({ chain, survey }: ListedChain): unknown {
  const { folder, chainId, networks, manifest } = chain;
  const of = (kind: SegmentKind): unknown => {
    const { segments, rows, bytes, ranges } = survey.kinds[kind];
    return { count: rows, segments, bytes, ranges };
  };
  return {
    chain: chainId,
    networks,
    folder,
    bytes: survey.bytes,
    segments: survey.segments,
    ranges: survey.ranges,
    set_aside: manifest.aside.map(({ segment, why }) => ({
      files: segment.files.map(({ path }) => path),
      why,
    })),
    final: manifest.marks?.final ?? null,
    blocks: of("blocks"),
    logs: of("logs"),
    answers: of("answers"),
  };
}
