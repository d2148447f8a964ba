// yargs in a separate module: the build bundles it into one file, because its thirty modules take twice as long to
// load.
export {
  type ArgumentsCamelCase,
  type Argv,
  default,
  type InferredOptionTypes,
  type Options,
  type PositionalOptions,
} from "yargs";
