import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { stateFolder } from "../../../../src/cli/pipeline/sources/state-folder.js";

const cwd = resolve("/work");
const home = resolve("/home/me");

it.each([
  ["given", { GRAPHLOOM_STATE: "other" }, join(cwd, "given")],
  [undefined, { GRAPHLOOM_STATE: "other", HOME: home }, join(cwd, "other")],
  [undefined, { XDG_STATE_HOME: resolve("/states"), HOME: home }, resolve("/states/graphloom")],
  [undefined, { XDG_STATE_HOME: "relative", HOME: home }, join(home, ".local/state/graphloom")],
  [undefined, { LOCALAPPDATA: home }, join(home, "graphloom/state")],
])("with --state %s and %o, states are kept in %s", (option, env, folder) => {
  expect(stateFolder(option, { cwd, env })).toBe(folder);
});

it("pipeline run asks for a folder if none is given", () => {
  expect(() => stateFolder(undefined, { cwd, env: {} })).toThrow(
    "There is no folder for the state of the pipeline. Pass --state <folder>, or set GRAPHLOOM_STATE.",
  );
});
