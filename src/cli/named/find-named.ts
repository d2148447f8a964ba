import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { parseIpfsHash } from "../../deploy/ipfs/ipfs-hash.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { linksOf } from "../../subgraph/manifest/links.js";
import { parseManifest } from "../../subgraph/manifest/parse-manifest.js";
import { bundleLimits } from "../../subgraph/unzip-bundle.js";
import { parseProjectName } from "../subgraph/project-name.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The thing that a word on the command line names. Paths are in the form of the host that found them. */
export type Named =
  /** A configuration, or a path whose absence the reader of configurations explains. `-` is standard input. */
  | { readonly kind: "configuration"; readonly path: string }
  /** A subgraph that was written by hand, by the path of its manifest. */
  | { readonly kind: "project"; readonly path: string }
  /** A build: the path of its manifest, or of a folder with one build or one for each chain. */
  | { readonly kind: "build"; readonly path: string }
  | { readonly kind: "zip"; readonly path: string }
  /** A deployment on IPFS, by the hash of its manifest. */
  | { readonly kind: "deployment"; readonly hash: string }
  /** A version on a server. */
  | { readonly kind: "version"; readonly name: string; readonly version: string }
  /** A GraphQL endpoint. */
  | { readonly kind: "endpoint"; readonly url: string };

/** The forms in which a subgraph can be named, for messages. */
export const namedForms =
  "a configuration, a subgraph.yaml or its folder, the folder of a build, a zip of a build, a deployment id such as Qm…, or <name>/<version> on a server";

/** The name of each kind in messages. */
export const kindWords: Readonly<Record<Named["kind"], string>> = {
  configuration: "a configuration",
  project: "a hand-written subgraph",
  build: "a build",
  zip: "the zip of a build",
  deployment: "the id of a deployment",
  version: "a version on a server",
  endpoint: "an endpoint",
};

/** The names of the files that stand for a folder. */
const configurations = ["subgraph.json", "subgraph.json5"];
const manifest = "subgraph.yaml";

/** In bytes: larger than any real manifest. */
const largestManifest = 4_000_000;

/** The most files that a refusal lists. */
const mostListed = 5;

/**
 * Finds out what a word names: a file or folder if there is one, else a deployment or a version.
 * @param forms the forms that a refusal suggests
 * @throws UsageError that says what was found instead, with examples that would work
 */
export async function findNamed(word: string, host: Host, forms = namedForms): Promise<Named> {
  if (word === "-") return { kind: "configuration", path: word };
  const file = await host.readFile(word, bundleLimits.compressed);
  if (file.kind === "directory") return inFolder(word, host, forms);
  if (file.kind === "bytes") return ofFile(word, file.bytes, forms);
  if (file.kind === "too-large" && /\.zip$/i.test(word)) {
    const limit = bundleLimits.compressed / 1e6;
    throw new UsageError(`${quotePath(word)} is larger than ${limit} MB, the limit for the zip of a build.`);
  }
  return file.kind === "missing" ? withoutFile(word, forms) : { kind: "configuration", path: word };
}

/** Finds out what a word names if there is no such file. */
function withoutFile(word: string, forms: string): Named {
  const hash = parseIpfsHash(word);
  if (hash !== undefined) return { kind: "deployment", hash };
  if (/^https?:\/\//i.test(word)) return { kind: "endpoint", url: word };
  // The reader of configurations looks for files with similar names.
  if (/\.(?:json5?|ya?ml)$/i.test(word)) return { kind: "configuration", path: word };
  const { name, version } = parseProjectName(word) ?? {};
  if (name !== undefined && version !== undefined) return { kind: "version", name, version };
  const isNoVersion = name === undefined || forms !== namedForms;
  const found = isNoVersion ? "" : `. A subgraph on a server needs a version: ${name}/<version>`;
  throw new UsageError(`There is no file or folder ${quotePath(word)}${found}.`, `Name ${forms}.`);
}

function ofFile(path: string, bytes: Uint8Array, forms: string): Named {
  if (isZip(bytes)) return { kind: "zip", path };
  if (/\.zip$/i.test(path)) {
    const what = bytes.length === 0 ? "an empty file" : "a file of another kind";
    throw new UsageError(`${quotePath(visible(path))} is ${what}, not the zip of a build.`, `Name ${forms}.`);
  }
  const text = new TextDecoder().decode(bytes);
  return isManifest(text) ? ofManifest(path, text) : { kind: "configuration", path };
}

/** Whether a file begins like a zip, which may be empty. */
function isZip([p, k, third, fourth]: Uint8Array): boolean {
  return p === 0x50 && k === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6));
}

/** Every manifest has `dataSources` at its top level, and no configuration has. */
function isManifest(text: string): boolean {
  return /^(?:dataSources|(?:\{\s*)?"dataSources"|[ \t]{1,4}"dataSources")\s*:/m.test(text);
}

function ofManifest(path: string, text: string): Named {
  if (mappingsOf(text).some((target) => typeof target === "object")) {
    throw new UsageError(
      `${quotePath(path)} is the manifest of a deployment, whose files are on IPFS.`,
      "Name the deployment by its id, Qm…, which is the hash of this file.",
    );
  }
  return { kind: isBuilt(text) ? "build" : "project", path };
}

/** Whether a manifest belongs to a build: its mappings are WASM. */
export function isBuilt(text: string): boolean {
  return mappingsOf(text).some((target) => typeof target === "string" && target.endsWith(".wasm"));
}

/** The links to mappings; none if the manifest has mistakes, which the compiler reports with their places. */
function mappingsOf(text: string): readonly unknown[] {
  try {
    const links = linksOf(parseManifest(text).toData());
    return links.filter(({ role }) => role.kind === "mapping").map(({ target }) => target);
  } catch (error) {
    if (error instanceof BundleError) return [];
    throw error;
  }
}

/** The folder of a configuration or manifest stands for it; otherwise it may contain builds. */
async function inFolder(folder: string, host: Host, forms: string): Promise<Named> {
  const at = (name: string): string => host.resolveBeside(`${folder.replace(/\/+$/, "")}/x`, name);
  const own = await host.readFile(at(manifest), largestManifest);
  const configs: string[] = [];
  for (const name of configurations) {
    const { kind } = await host.readFile(at(name), 0);
    if (kind === "bytes" || kind === "too-large") configs.push(name);
  }
  const [config] = configs;
  const hasManifest = own.kind !== "missing" && own.kind !== "directory";
  if (config !== undefined && (hasManifest || configs.length > 1)) {
    const both = [...configs, ...(hasManifest ? [manifest] : [])];
    throw new UsageError(
      `${quotePath(folder)} has ${both.map((name) => quotePath(name)).join(" and ")}. Name one of them.`,
    );
  }
  if (config !== undefined) return { kind: "configuration", path: at(config) };
  if (own.kind === "bytes") return ofManifest(at(manifest), new TextDecoder().decode(own.bytes));
  if (hasManifest) return { kind: "project", path: at(manifest) };
  return withoutOwn(folder, at, { host, forms });
}

/** Finds out what a folder without a configuration or manifest stands for. */
async function withoutOwn(
  folder: string,
  at: (name: string) => string,
  { host, forms }: { readonly host: Host; readonly forms: string },
): Promise<Named> {
  const files = (await host.filesUnder?.(folder, 3)) ?? [];
  for (const path of files.filter((one) => /^(?:build\/)?(?:[^/]+\/)?subgraph\.yaml$/.test(one))) {
    const read = await host.readFile(at(path), largestManifest);
    if (read.kind === "bytes" && isBuilt(new TextDecoder().decode(read.bytes)))
      return { kind: "build", path: folder };
  }
  // The reader of manifests knows templates and other manifests, and the script that fills one in.
  if (files.includes("package.json") && files.some((path) => /(?:subgraph|manifest)[^/]*$/i.test(path)))
    return { kind: "project", path: at(manifest) };
  const near = files.filter((path) => /(?:^|\/)subgraph[^/]*\.(?:json5?|ya?ml)$/i.test(path));
  const listed = near.slice(0, mostListed).map((path) => quotePath(visible(at(path))));
  const advice =
    listed.length === 0 ? `Name ${forms}.` : `Name a file or its folder, such as ${listed.join(", ")}.`;
  throw new UsageError(
    `${quotePath(folder)} is a folder without a subgraph: it has neither ${configurations[0]} nor ${manifest}, nor a build of one.`,
    advice,
  );
}
