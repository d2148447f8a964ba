// The command line's parser, in a module of its own: the build replaces it by one file with all that it consists of,
// because the thirty it comes in take twice as long to load.
export {
  type ArgumentsCamelCase,
  type Argv,
  default,
  type InferredOptionTypes,
  type Options,
  type PositionalOptions,
} from "yargs";
