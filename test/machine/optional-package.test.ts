import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { optionalPackage, PackageMissingError } from "../../src/machine/optional-package.js";
import { testFolder } from "../support/folder.js";

test("a package that is not installed is named, whether it is imported or required", async () => {
  const message =
    "SQL requires the package no-such-package, which is not installed. Install it with: npm install no-such-package";
  const name = "no-such-package";
  const load = createRequire(import.meta.url);
  for (const loading of [() => import(name), async () => load(name)]) {
    const missing = await optionalPackage("SQL", name, loading).catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(PackageMissingError);
    expect(missing).toMatchObject({ message });
  }
});

test("a package with a missing dependency is not reported as missing itself", async () => {
  const folder = testFolder({ "node_modules/broken-package/index.js": 'require("no-such-package");' });
  const load = createRequire(join(folder, "index.js"));
  await expect(optionalPackage("SQL", "broken-package", async () => load("broken-package"))).rejects.toThrow(
    "Cannot find module 'no-such-package'",
  );
});
