import { win32 } from "node:path";
import { expect, it } from "vitest";
import { findCache } from "../../src/cli/cache/open-cache.js";
import { stateFolder } from "../../src/cli/pipeline/sources/state-folder.js";

const cwd = "D:\\work";
const local = "C:\\Users\\ann\\AppData\\Local";

it.each([
  [{ LOCALAPPDATA: local }, `${local}\\graphloom\\cache`, `${local}\\graphloom\\state`],
  [
    { HOME: "C:\\Users\\ann", LOCALAPPDATA: local },
    "C:\\Users\\ann\\.cache\\graphloom",
    "C:\\Users\\ann\\.local\\state\\graphloom",
  ],
  [
    { XDG_CACHE_HOME: "E:\\cache", XDG_STATE_HOME: "E:\\state", LOCALAPPDATA: local },
    "E:\\cache\\graphloom",
    "E:\\state\\graphloom",
  ],
  [
    { XDG_CACHE_HOME: "cache", XDG_STATE_HOME: "state", LOCALAPPDATA: local },
    `${local}\\graphloom\\cache`,
    `${local}\\graphloom\\state`,
  ],
  [{ GRAPHLOOM_CACHE: "kept", GRAPHLOOM_STATE: "..\\kept" }, "D:\\work\\kept", "D:\\kept"],
])("on Windows, the folders for the cache and for states follow the environment %o", (env, cache, state) => {
  expect(findCache({ env, cwd }, win32)?.folder).toBe(cache);
  expect(stateFolder(undefined, { env, cwd }, win32)).toBe(state);
});
