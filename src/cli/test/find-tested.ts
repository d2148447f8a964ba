import { basename, dirname, join, relative, resolve } from "node:path";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { looksLikeTest } from "../../testing/json/read-json-test.js";
import { readSettings, type TestSettings } from "../../testing/matchstick/read-settings.js";
import { findNamed, isBuilt, kindWords } from "../named/find-named.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The location of the selected tests, and the project that they test. */
export interface Tested {
  /** The folder of the project. Absolute. */
  readonly folder: string;
  /** With the manifest that the command line names. */
  readonly settings: TestSettings;
  /** The absolute path of the configuration, if one is tested instead of a manifest. */
  readonly configuration?: string | undefined;
  /** The names of test files on the command line. */
  readonly wanted: readonly string[];
}

/** In bytes. */
const largestFile = 10_000_000;

/** The things that have tests, for refusals. */
const testedForms =
  "a subgraph.yaml with mappings, a configuration, or the folder of one: graphloom test <folder>";

/** The files that stand for a folder with a configuration. */
const configurations = ["subgraph.json", "subgraph.json5"];

/**
 * Finds what the command line means. Its first word may name a project: a manifest, a configuration, or a folder that
 * contains one. All other words are names of test files.
 * @param cwd absolute
 * @throws UsageError for a folder with both, and for a built subgraph; SettingsError
 */
export async function findTested(names: readonly string[], host: Host, cwd: string): Promise<Tested> {
  const [first, ...others] = names;
  if (first !== undefined) {
    const path = resolve(cwd, first);
    if ((await host.readFile(path, 0)).kind === "directory") {
      const found = await inFolder(path, host, { takesBuilt: false });
      if (found) return { ...found, wanted: others };
    } else if (await isProject(first, host, cwd)) {
      const settings = await settingsIn(dirname(path), host);
      const isConfiguration = (await findNamed(path, host)).kind === "configuration";
      return {
        folder: dirname(path),
        wanted: others,
        ...(isConfiguration
          ? { settings, configuration: path }
          : { settings: { ...settings, manifest: basename(path) } }),
      };
    }
    await refuseBuilt(first, host);
  }
  const found = await inFolder(cwd, host, { takesBuilt: true });
  if (!found && first !== undefined) await refuseMissing(first, host);
  return { ...(found ?? { folder: cwd, settings: await settingsIn(cwd, host) }), wanted: names };
}

/**
 * Refuses a word in a folder without a subgraph, since it cannot name tests there.
 * @throws UsageError unless it is a file
 */
async function refuseMissing(word: string, host: Host): Promise<void> {
  const named = await findNamed(word, host, testedForms);
  if ((await host.readFile(word, 0)).kind !== "missing") return;
  const shown = quotePath(visible(word));
  throw new UsageError(
    named.kind === "version"
      ? `There is no file or folder ${shown}, and a version on a server has no tests.`
      : `There is no file or folder ${shown}.`,
    `Name ${testedForms}.`,
  );
}

/**
 * What a folder contains; `undefined` if there is neither a manifest nor a configuration.
 * @param takesBuilt whether it may be the manifest of a build
 */
async function inFolder(
  folder: string,
  host: Host,
  { takesBuilt }: { readonly takesBuilt: boolean },
): Promise<Omit<Tested, "wanted"> | undefined> {
  const has = async (name: string): Promise<boolean> =>
    ["bytes", "too-large"].includes((await host.readFile(join(folder, name), 0)).kind);
  const manifest = await readText(join(folder, "subgraph.yaml"), host);
  const hasOwn = manifest !== undefined && (takesBuilt || !isBuilt(manifest));
  const hasManifest = (await has("matchstick.yaml")) || (hasOwn && !(await hasConfig()));
  if (!hasManifest && !(await hasConfig())) return undefined;
  const settings = await settingsIn(folder, host);
  if (hasManifest) return { folder, settings };
  const named = await findNamed(folder, host);
  return { folder, settings, configuration: "path" in named ? resolve(folder, named.path) : undefined };

  async function hasConfig(): Promise<boolean> {
    const found = await Promise.all(configurations.map(has));
    return found.includes(true);
  }
}

/** Whether a word names a manifest or a configuration, and not a test. */
async function isProject(word: string, host: Host, cwd: string): Promise<boolean> {
  if (/\.ya?ml$/i.test(word)) return true;
  if (!/\.json5?$/i.test(word)) return false;
  const path = resolve(cwd, word);
  const text = await readText(path, host);
  if (text === undefined) return false;
  const tests = resolve(cwd, (await settingsIn(cwd, host)).tests);
  const isInTests = !relative(tests, path).startsWith("..");
  return !isInTests && (/5$/.test(word) || !looksLikeTest(text));
}

async function settingsIn(folder: string, host: Host): Promise<TestSettings> {
  return readSettings(await readText(join(folder, "matchstick.yaml"), host));
}

async function readText(path: string, host: Host): Promise<string | undefined> {
  const read = await host.readFile(path, largestFile);
  return read.kind === "bytes" ? Buffer.from(read.bytes).toString("utf8") : undefined;
}

/** @throws UsageError for a word that names a built subgraph, which has no tests. Other words may be names of tests. */
async function refuseBuilt(word: string, host: Host): Promise<void> {
  const named = await findNamed(word, host).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  const built = ["build", "zip", "deployment", "endpoint"] as const;
  const kind = built.find((one) => one === named?.kind);
  if (kind === undefined) return;
  throw new UsageError(
    `${quotePath(visible(word))} is ${kindWords[kind]}, which has no tests.`,
    "Name the folder of a subgraph.yaml with mappings: graphloom test <folder>",
  );
}
