import * as graphloom from "graphloom";
import { expect, it } from "vitest";

it("exports exactly the public names", () => {
  expect(Object.keys(graphloom).sort()).toEqual([
    "AbortError",
    "ChainError",
    "applyFixes",
    "build",
    "catalog",
    "check",
    "compile",
    "createMemoryStore",
    "createNodeHost",
    "openChain",
    "plainEntity",
    "positionAt",
    "readBuilt",
    "renderGithub",
    "renderJson",
    "renderText",
    "run",
    "startAsc",
  ]);
});
