import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/usage/options.js";

export const cacheCommand = command({
  name: "cache [action]",
  describe: "Show or clear the compilation cache",
  positionals: { action: { choices: ["show", "clear"], default: "show" } },
  options: { output: outputOption },
  examples: [
    ["$0 cache", "show its folder and size; --no-cache compiles without it"],
    ["$0 cache clear", "remove everything in it; later runs compile afresh"],
  ],
  epilogue:
    "The folder is GRAPHLOOM_CACHE, or graphloom in XDG_CACHE_HOME, or ~/.cache/graphloom. " +
    "When the cache exceeds GRAPHLOOM_CACHE_SIZE MB (256 by default; 0 turns it off), the entries that " +
    "were not used for longest are removed.",
  load: async () => (await import("./manage-cache.js")).manageCache,
});
