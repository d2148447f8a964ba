import * as graphloom from "graphloom";
import { expect, it } from "vitest";

it("exports exactly the public names", () => {
  expect(Object.keys(graphloom).sort()).toEqual([
    "applyFixes",
    "build",
    "catalog",
    "check",
    "compile",
    "createNodeHost",
    "positionAt",
    "renderGithub",
    "renderJson",
    "renderText",
    "startAsc",
  ]);
});
