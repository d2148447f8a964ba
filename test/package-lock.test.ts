import { readFileSync } from "node:fs";
import { satisfies } from "semver";
import { describe, expect, test } from "vitest";

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");
const packages: Readonly<Record<string, Locked>> = JSON.parse(text).packages;

/** The paths at which a package looks for a dependency: inside itself, then beside each package that contains it. */
function placesOf(holder: string, name: string): string[] {
  const folders = holder.split("/node_modules/");
  return folders.map((_, above) =>
    [...folders.slice(0, folders.length - above), name].join("/node_modules/"),
  );
}

/** The packages missing from the lock file. `npm ci` refuses one that does not name the packages of every platform. */
function missingFrom(locked: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(locked).flatMap(([holder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => ![`node_modules/${name}`, ...placesOf(holder, name)].some((place) => locked[place]))
      .map((name) => `${holder} needs ${name}`),
  );
}

/** The packages that do not run on a version of Node, as "package@version needs range". */
function refusing(node: string, locked: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(locked).flatMap(([place, { version, optional, engines }]) =>
    optional || engines?.node === undefined || satisfies(node, engines.node)
      ? []
      : [`${place}@${version} needs ${engines.node}`],
  );
}

describe("the lock file", () => {
  test("names the packages of every platform, so that `npm ci` works on all of them", () => {
    expect(packages["node_modules/@foundry-rs/anvil-linux-amd64"]).toBeDefined();
    expect(missingFrom(packages)).toEqual([]);
  });

  test("detects a package that only a different platform has", () => {
    const { "node_modules/@foundry-rs/anvil-linux-amd64": _, ...others } = packages;
    expect(missingFrom(others)).toEqual([
      "node_modules/@foundry-rs/anvil needs @foundry-rs/anvil-linux-amd64",
    ]);
  });

  // The oldest versions of Node that the package supports, and that its development supports.
  test.each(["20.19.0", "22.12.0"])("contains only packages that run on Node %s", (node) => {
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(refusing(node, packages)).toEqual([]);
  });

  test("detects a package that requires a newer Node", () => {
    expect(
      refusing("18.0.0", { "node_modules/new": { version: "1.0.0", engines: { node: ">=20" } } }),
    ).toEqual(["node_modules/new@1.0.0 needs >=20"]);
  });
});
