import { textOption, textsOption } from "../terminal/usage/options.js";

/** The definition that a command takes. */
export const definition = {
  ...textOption,
  demandOption: true,
  describe: "YAML file with the definition; - for standard input",
} as const;

/** The definition of a pipeline on this machine, or the name of one on a server. */
export const nameOrDefinition = {
  ...textOption,
  demandOption: true,
  describe:
    "name of a pipeline on the server; or the YAML file of one that pipeline run runs, with a path or an ending; - for standard input",
} as const;

/** Values of variables. */
export const varOption = {
  ...textsOption,
  describe: "value of a variable in the definition, <NAME>=<value>; may be repeated",
} as const;

/** Where entities of subgraphs are. */
export const subgraphOptions = {
  database: {
    ...textOption,
    describe:
      "database of the subgraphs whose entities are read: a folder, or postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
  },
  data: { ...textOption, describe: "the same as the folder of dev --data or serve --data" },
} as const;

/** Where sinks that cannot keep their state beside their rows keep it. */
export const stateOption = {
  ...textOption,
  describe:
    "folder that keeps where sinks such as webhooks continue [default: GRAPHLOOM_STATE, or graphloom in XDG_STATE_HOME, or ~/.local/state/graphloom]",
} as const;
