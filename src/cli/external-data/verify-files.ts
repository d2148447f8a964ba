import { join, resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { formerMarkerName, markerName, StrangeFolderError } from "../../datasets/sync/marker.js";
import type { RecordedRange } from "../../datasets/sync/range-proofs.js";
import { type FolderVerification, verifyFolder } from "../../datasets/sync/verify-folder.js";
import { openTableFiles } from "../../machine/files/table-files.js";
import { printJson } from "../remote/print-json.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";

/** A folder of table files: checked, or not readable for a reason. */
type Checked = { readonly folder: string } & (
  | { readonly verification: FolderVerification }
  | { readonly why: string }
);

/** Checks the files of all datasets below a folder, and shows their proofs; returns the exit code. */
export async function verifyFiles(
  { out, output }: OutputArguments & { readonly out: string },
  terminal: Terminal,
): Promise<number> {
  const root = resolve(terminal.cwd, out);
  const folders = new Set(
    (await openTableFiles(root).list(".")).flatMap((path) => {
      const [, below = "", name = ""] = /^(.*\/)?([^/]*)$/.exec(path) ?? [];
      return name === markerName || name === formerMarkerName ? [below] : [];
    }),
  );
  if (folders.size === 0) {
    terminal.err(
      `There are no files of external-data sync below ${visible(root)}. Pass the folder that sync has written with --out.\n`,
    );
    return exitCodes.diagnostics;
  }
  const all: Checked[] = [];
  for (const below of folders) all.push(await check(join(out, below), join(root, below)));
  const isWhole = all.every((one) => "verification" in one && one.verification.faults.length === 0);
  if (output === "json") printJson({ ok: isWhole, folders: all.map(asJson) }, terminal);
  else for (const one of all) tell(one, terminal);
  const hasFaults = all.some((one) => "verification" in one && one.verification.faults.length > 0);
  if (hasFaults && output !== "json")
    terminal.err("Delete the files that are named, and run the same external-data sync again.\n");
  return isWhole ? exitCodes.clean : exitCodes.diagnostics;
}

async function check(folder: string, path: string): Promise<Checked> {
  try {
    return { folder, verification: await verifyFolder(openTableFiles(path)) };
  } catch (error) {
    if (error instanceof StrangeFolderError) return { folder, why: error.message };
    throw error;
  }
}

function tell(one: Checked, terminal: Terminal): void {
  if ("why" in one) {
    terminal.out(`fault: ${visible(`${one.folder}: ${one.why}`)}\n`);
    return;
  }
  const { marker, files, rows, ranges, faults } = one.verification;
  const title = `${one.folder}: ${marker.dataset} of chain ${marker.chainId}`;
  terminal.out(`${visible(title)}: ${count(files, "file")}, ${count(rows, "row")}\n`);
  for (const range of ranges) terminal.out(`  ${visible(rangeText(range))}\n`);
  for (const { file, why } of faults) terminal.out(`  fault: ${visible(`${file}: ${why}`)}\n`);
}

/** `blocks 0 to 999: proved: header, transactions; believed: receipts (…)` */
function rangeText({ from, to, proofs }: RecordedRange): string {
  const believed = Object.entries(proofs?.believed ?? {}).map(([part, why]) => `${part} (${why})`);
  const parts = [
    ...(proofs && proofs.proved.length > 0 ? [`proved: ${proofs.proved.join(", ")}`] : []),
    ...(believed.length > 0 ? [`believed: ${believed.join(", ")}`] : []),
  ];
  return `blocks ${from} to ${to}: ${parts.length > 0 ? parts.join("; ") : "not recorded"}`;
}

function asJson(one: Checked): object {
  if ("why" in one) return one;
  const { marker, files, rows, ranges, faults } = one.verification;
  return {
    folder: one.folder,
    chain: marker.chainId,
    dataset: marker.dataset,
    files,
    rows,
    faults,
    proofs: ranges.map(({ from, to, proofs }) => ({ from, to, ...(proofs ?? { recorded: false }) })),
  };
}
