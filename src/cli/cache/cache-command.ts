import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/options.js";

/** `cache` */
export const cacheCommand = command({
  name: "cache [action]",
  describe: "Show what is kept of earlier compilations, or remove it",
  positionals: { action: { choices: ["show", "clear"], default: "show" } },
  options: { output: outputOption },
  examples: [
    ["$0 cache", "where it is and how large; --no-cache compiles without it"],
    ["$0 cache clear", "remove all of it: what is needed again is compiled again"],
  ],
  epilogue:
    "The folder is GRAPHLOOM_CACHE, or graphloom in XDG_CACHE_HOME, or ~/.cache/graphloom. " +
    "What was not used for longest is removed when it holds more than GRAPHLOOM_CACHE_SIZE MB " +
    "(256 unless set; 0 keeps nothing).",
  load: async () => (await import("./manage-cache.js")).manageCache,
});
