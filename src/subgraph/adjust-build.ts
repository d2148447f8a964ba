import { isDeepStrictEqual } from "node:util";
import { Document, visit } from "yaml";
import { type Build, manifestPath } from "./build.js";
import { parseManifest } from "./manifest/parse-manifest.js";

/** Changes to make to a build's manifest. */
export interface Adjustments {
  /** First block of every data source. */
  readonly startBlock?: number | undefined;
  /** The deployment to graft onto, and the block. */
  readonly graft?: NewGraft | undefined;
  /** Drops the manifest's own graft. */
  readonly removeGraft?: boolean | undefined;
  readonly description?: string | undefined;
}

export interface NewGraft {
  /** Deployment id. */
  readonly base: string;
  readonly block: number;
}

/**
 * Returns a build with an adjusted manifest. Preserves comments and order; without changes, the manifest
 * stays byte-identical.
 * @throws BundleError for a build without a valid manifest
 */
export function adjustBuild(build: Build, adjustments: Adjustments): Build {
  const { startBlock, graft, removeGraft, description } = adjustments;
  if (startBlock === undefined && !graft && !removeGraft && description === undefined) return build;
  const document = withoutAliases(build.parsed.copy());
  if (startBlock !== undefined) {
    for (const index of build.manifest.dataSources.keys()) {
      document.setIn(["dataSources", index, "source", "startBlock"], startBlock);
    }
  }
  if (removeGraft) document.delete("graft");
  if (graft) document.set("graft", { base: graft.base, block: graft.block });
  if (removeGraft || graft) setGraftingFeature(document, build, graft !== undefined);
  if (description !== undefined) document.set("description", description);
  const text = document.toString({ lineWidth: 0 });
  const parsed = parseManifest(text, manifestPath);
  const manifest = parsed.toData();
  if (isDeepStrictEqual(manifest, build.manifest)) return build;
  return {
    manifest,
    parsed,
    files: new Map([...build.files, [manifestPath, new TextEncoder().encode(text)]]),
  };
}

/** Adds or removes the `grafting` feature. Removes the list of features if it becomes empty. */
function setGraftingFeature(document: Document, { manifest }: Build, isUsed: boolean): void {
  const features: readonly unknown[] = Array.isArray(manifest.features) ? manifest.features : [];
  if (features.includes("grafting") === isUsed) return;
  const others = features.filter((feature) => feature !== "grafting");
  if (isUsed) document.set("features", [...others, "grafting"]);
  else if (others.length > 0) document.set("features", others);
  else document.delete("features");
}

/** A document with its aliases expanded, so that a change in one place does not affect others. */
function withoutAliases(document: Document): Document {
  let hasAlias = false;
  visit(document, {
    Alias() {
      hasAlias = true;
      return visit.BREAK;
    },
  });
  return hasAlias ? new Document(document.toJS(), { aliasDuplicateObjects: false }) : document;
}
