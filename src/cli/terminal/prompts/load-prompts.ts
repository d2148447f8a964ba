import type { Prompts } from "./prompts.js";

/** Prompts whose library is loaded with the first question. */
export function loadPrompts(load: () => Promise<Prompts>): Prompts {
  let loaded: Promise<Prompts> | undefined;
  const prompts = (): Promise<Prompts> => {
    loaded ??= load();
    return loaded;
  };
  return {
    choose: async (...asked) => (await prompts()).choose(...asked),
    chooseSome: async (...asked) => (await prompts()).chooseSome(...asked),
    enter: async (...asked) => (await prompts()).enter(...asked),
    confirm: async (...asked) => (await prompts()).confirm(...asked),
  };
}
