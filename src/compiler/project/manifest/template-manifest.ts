import { quotePath } from "../../../base/text/quote.js";
import type { Code } from "../../diagnostics/catalog.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import type { Host } from "../../host.js";
import type { Source } from "../../source/source.js";
import { readText } from "../read-text.js";

/** Names of template files for manifests. */
const templateName = /(?:template|mustache|handlebars|hbs)/i;
const manifestName = /(?:subgraph|manifest)[^/]*$/i;
/** Levels of folders to search for templates and scripts. */
const depth = 3;

/** The message about a missing manifest; names its template, or another manifest. */
export async function missingManifest(
  path: string,
  host: Host,
): Promise<(Details & { readonly code?: Code }) | undefined> {
  const files = (await host.filesUnder?.(host.resolveBeside(path, "."), depth)) ?? [];
  const named = files.filter((file) => manifestName.test(file));
  const template = named.find((file) => templateName.test(file));
  const script = await preparingScript(path, files, host);
  if (template !== undefined) {
    return {
      code: "manifest-template",
      notes: [`${quotePath(template)} is a template, from which a tool such as mustache makes the manifest`],
      hint: script
        ? `make the manifest first: ${script}`
        : `make the manifest from ${quotePath(template)} first; the project's README or package.json should say how`,
    };
  }
  const others = named.filter((file) => /\.ya?ml$/.test(file));
  if (others.length > 0)
    return { hint: `name the manifest: ${others.slice(0, 3).map(quotePath).join(" or ")}` };
  return script ? { hint: `make the manifest first: ${script}` } : undefined;
}

/** Reports a manifest with placeholders; returns whether it is one. */
export async function reportTemplate(source: Source, host: Host, report: Report): Promise<boolean> {
  const placeholder = placeholderIn(source.text);
  if (!placeholder) return false;
  const files = (await host.filesUnder?.(host.resolveBeside(source.path, "."), depth)) ?? [];
  const script = await preparingScript(source.path, files, host);
  report.error(
    "manifest-template",
    { source, pointer: "", ...placeholder },
    "the manifest is a template: it has placeholders in double braces",
    {
      label: "a tool such as mustache replaces this",
      hint: script
        ? `make the manifest first: ${script}`
        : "run the tool that fills in the template, and build what it makes",
    },
  );
  return true;
}

function placeholderIn(text: string): { readonly start: number; readonly end: number } | undefined {
  for (const found of text.matchAll(/\{\{[#/^&>!{]?\s*[\w.\-@ ]+\s*\}\}/g)) {
    const lineStart = text.lastIndexOf("\n", found.index) + 1;
    if (!/(?:^|\s)#/.test(text.slice(lineStart, found.index)))
      return { start: found.index, end: found.index + found[0].length };
  }
  return undefined;
}

/** Words for tools that create a manifest, and for scripts that run them. */
const toolNames = /\b(?:mustache|handlebars|hbs|envsubst|nunjucks|ejs|configure|template)\b/i;
const scriptNames =
  /^(?:prepare|configure|config|template|manifest|generate-manifest|gen|set-network|setup)(?:[:\-_].*)?$/i;

/** The command line of the script that creates the manifest, from the nearest package.json that has one. */
async function preparingScript(
  path: string,
  files: readonly string[],
  host: Host,
): Promise<string | undefined> {
  for (const folder of [".", "..", "../.."]) {
    const read = await readText(host.resolveBeside(path, `${folder}/package.json`), host);
    if (read.kind !== "text") continue;
    const chosen = chooseScript(scriptsOf(read.text));
    if (chosen === undefined) continue;
    const runner = files.includes("yarn.lock") || (await exists(path, `${folder}/yarn.lock`, host));
    const isPnpm = await exists(path, `${folder}/pnpm-lock.yaml`, host);
    return runner ? `yarn ${chosen}` : `${isPnpm ? "pnpm" : "npm"} run ${chosen}`;
  }
  return undefined;
}

async function exists(path: string, relative: string, host: Host): Promise<boolean> {
  return (await readText(host.resolveBeside(path, relative), host)).kind !== "missing";
}

/** Prefers a script for one network, such as `prepare:mainnet`; npm runs `prepare` itself. */
function chooseScript(scripts: ReadonlyMap<string, string>): string | undefined {
  const making = [...scripts].filter(([name, line]) => toolNames.test(line) || scriptNames.test(name));
  const withTool = making.filter(([, line]) => toolNames.test(line));
  const names = (withTool.length > 0 ? withTool : making).map(([name]) => name);
  return (
    names.find((name) => /[:\-_](?:mainnet|ethereum|eth)\b/i.test(name)) ??
    names.find((name) => /[:\-_]/.test(name)) ??
    names[0]
  );
}

function scriptsOf(text: string): ReadonlyMap<string, string> {
  try {
    const { scripts }: { scripts?: unknown } = JSON.parse(text);
    if (typeof scripts !== "object" || scripts === null) return new Map();
    const entries = Object.entries(scripts);
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    // A mere hint is not worth an error about package.json.
    return new Map();
  }
}
