import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./docs/pages.js";

/** The report of `npm pack` about a package. */
export interface Packed {
  readonly filename: string;
  /** Bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/**
 * Packs what was built, and unpacks it as a package of the project in a folder, beside its dependencies and nothing else.
 */
export function installPacked(place: string): Packed {
  const packages = join(place, "node_modules");
  const home = join(packages, "graphloom");
  mkdirSync(home, { recursive: true });
  const told = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", place], {
    cwd: root,
    encoding: "utf8",
  });
  const [packed] = JSON.parse(told) as [Packed];
  execFileSync("tar", ["-xzf", join(place, packed.filename), "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  }
  mkdirSync(join(packages, ".bin"));
  symlinkSync("../graphloom/dist/cli/main.js", join(packages, ".bin/graphloom"));
  return packed;
}
