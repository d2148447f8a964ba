import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../diagnostics/report.js";
import type { TreePath } from "../source/tree.js";
import { callSignatures, eventSignatures } from "./abi-signatures.js";
import type { ProjectManifest, ProjectSource } from "./manifest/project-manifest.js";
import type { ProjectAbis, ReadAbi } from "./project-abis.js";

/** Kinds of sources to build. */
const contractKinds = new Set(["ethereum", "ethereum/contract"]);
const fileKinds = new Set(["file/ipfs", "file/arweave"]);

export function isContract({ kind }: ProjectSource): boolean {
  return contractKinds.has(kind);
}

export function isFile({ kind }: ProjectSource): boolean {
  return fileKinds.has(kind);
}

/** Reports contradictions in a manifest: names, networks, signatures, handlers. */
export async function checkSources(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
  abis: ProjectAbis,
  report: Report,
): Promise<void> {
  checkKinds(manifest, sources, report);
  checkNames(manifest, sources, report);
  if (!manifest.hasFileSources) checkNetworks(manifest, sources, report);
  for (const source of sources) {
    if (!isContract(source)) continue;
    checkAddress(manifest, source, report);
    checkHandlers(manifest, source, report);
    const abi = await abiOf(manifest, source, abis, report);
    if (abi) checkSignatures(manifest, source, abi, report);
  }
}

function checkKinds(manifest: ProjectManifest, sources: readonly ProjectSource[], report: Report): void {
  const isComposed = sources.some(({ kind }) => kind === "subgraph");
  for (const source of sources) {
    const at = manifest.locate([...source.path, "kind"]);
    const isKnown = isContract(source) || source.kind === "subgraph" || (isFile(source) && source.isTemplate);
    if (!isKnown) {
      report.error("manifest-kind", at, `sources of kind ${quote(source.kind)} cannot be built`, {
        hint: "write ethereum, or file/ipfs for a template of files",
      });
    } else if (isComposed && isContract(source)) {
      report.error(
        "manifest-kind",
        at,
        "a subgraph cannot have both contracts and other subgraphs as sources",
        {
          hint: "make two subgraphs",
        },
      );
    }
  }
}

function checkNames(manifest: ProjectManifest, sources: readonly ProjectSource[], report: Report): void {
  const seen = new Map<string, TreePath>();
  for (const { name, isTemplate, path } of sources) {
    const what = isTemplate ? "template" : "data source";
    const at = manifest.locate([...path, "name"]);
    const key = `${what} ${name}`;
    const first = seen.get(key);
    if (first) {
      report.error("manifest-name", at, `another ${what} is named ${quote(name)}`, {
        related: [{ at: manifest.locate([...first, "name"]), text: "first used here" }],
        hint: "rename one of the two",
      });
    } else seen.set(key, path);
    if (leavesFolder(name)) {
      report.error("manifest-name", at, `the name ${quote(name)} would write outside the build folder`, {
        hint: "use letters, digits, - and _",
      });
    }
  }
}

function leavesFolder(name: string): boolean {
  return name === "" || name.startsWith("/") || name.includes("\\") || name.split("/").includes("..");
}

function checkNetworks(manifest: ProjectManifest, sources: readonly ProjectSource[], report: Report): void {
  const [first] = sources;
  for (const { network, path } of sources) {
    if (!first || network === first.network) continue;
    const of = (name: string | undefined): string => (name === undefined ? "no network" : quote(name));
    report.error(
      "manifest-network",
      manifest.locate([...path, "network"]),
      `this source is on ${of(network)}, and the first one on ${of(first.network)}`,
      {
        related: [{ at: manifest.locate([...first.path, "network"]), text: "the first one" }],
        hint: "give all data sources and templates the same network",
      },
    );
  }
}

function checkAddress(
  manifest: ProjectManifest,
  { address, isTemplate, path }: ProjectSource,
  report: Report,
): void {
  if (isTemplate || !address) return;
  const { value } = address;
  const at = manifest.locate([...path, "source", "address"]);
  if (value === null || value === "") {
    report.error("manifest-value", at, "the address is empty", {
      hint: "write the contract's address, or take it from networks.json with --network; without the line, the source reads every contract",
    });
  } else if (typeof value === "string" && !/^(?:0x)?[0-9a-fA-F]{40}$/.test(value)) {
    report.error("manifest-value", at, `${quote(value)} is not an address`, {
      hint: "an address has 40 hexadecimal digits after 0x",
    });
  }
}

function checkHandlers(manifest: ProjectManifest, source: ProjectSource, report: Report): void {
  if (source.isTemplate || source.handlers.some(({ list }) => list !== "handlers")) return;
  report.error(
    "manifest-value",
    manifest.locate([...source.path, "mapping"]),
    "the mapping has no handlers",
    {
      hint: "add eventHandlers, callHandlers or blockHandlers",
    },
  );
}

/** The ABI of a source's contract. Also reads the others, to report all faults. */
async function abiOf(
  manifest: ProjectManifest,
  source: ProjectSource,
  abis: ProjectAbis,
  report: Report,
): Promise<ReadAbi | undefined> {
  const read = await Promise.all(source.abis.map((abi) => abis.read(abi)));
  const { abi: name } = source;
  if (name === undefined) return undefined;
  const at = source.abis.findIndex((abi) => abi.name === name);
  if (at !== -1) return read[at];
  const names = source.abis.map((abi) => abi.name);
  const [near] = suggest(name, names);
  report.error(
    "manifest-name",
    manifest.locate([...source.path, "source", "abi"]),
    `the mapping of ${quote(source.name)} has no ABI ${quote(name)}`,
    {
      hint: near
        ? `write ${quote(near)}`
        : `name one of ${names.map(quote).join(", ") || "its abis, which are none"}`,
    },
  );
  return undefined;
}

function checkSignatures(
  manifest: ProjectManifest,
  source: ProjectSource,
  abi: ReadAbi,
  report: Report,
): void {
  const of = {
    eventHandlers: { key: "event", what: "event", known: eventSignatures(abi.entries) },
    callHandlers: {
      key: "function",
      what: "function that changes state",
      known: callSignatures(abi.entries),
    },
  } as const;
  for (const { list, signature, path } of source.handlers) {
    if (list !== "eventHandlers" && list !== "callHandlers") continue;
    // graph-cli does not check the call handlers of templates.
    if (list === "callHandlers" && source.isTemplate) continue;
    const { key, what, known } = of[list];
    if (signature === undefined || known.includes(signature)) continue;
    const meant = meantSignature(signature, known);
    report.error(
      "manifest-signature",
      manifest.locate([...path, key]),
      `the ABI ${quote(source.abi ?? "")} has no ${what} ${JSON.stringify(signature)}`,
      {
        ...(meant ? { hint: `write ${meant}` } : { notes: listed(known) }),
      },
    );
  }
}

/**
 * The signature that differs only in the word `indexed`, in spaces or in parameter names; otherwise the one with the
 * same name.
 */
function meantSignature(signature: string, known: readonly string[]): string | undefined {
  const bare = (text: string): string =>
    text
      .replace(/\bindexed\s+/g, "")
      .replace(/\s+\w+(?=[,)])/g, "")
      .replace(/\s+/g, "");
  const same = known.filter((one) => bare(one) === bare(signature));
  if (same.length > 0) return same[0];
  const nameOf = (text: string): string => text.replace(/\(.*$/s, "");
  const named = known.filter((one) => nameOf(one) === nameOf(signature));
  if (named.length === 1) return named[0];
  const [near] = suggest(nameOf(signature), known.map(nameOf));
  return named.length === 0 && near !== undefined ? known.find((one) => nameOf(one) === near) : undefined;
}

/** Maximum number of signatures in a note. */
const mostListed = 20;

function listed(known: readonly string[]): readonly string[] {
  if (known.length === 0) return ["it has none at all"];
  const more = known.length > mostListed ? ` and ${known.length - mostListed} more` : "";
  return [`it has ${known.slice(0, mostListed).join("; ")}${more}`];
}
