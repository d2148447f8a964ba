import type { CatalogEntry } from "./entry.js";

/** Codes for files that cannot be read or parsed. */
export const readingCodes = {
  "config-missing": {
    title: "the configuration file does not exist",
    explanation:
      "There is no file at the path on the command line. Relative paths start at the working directory. Correct the path, or change the directory.",
    example: { wrong: "graphloom check subgrap.json", right: "graphloom check subgraph.json" },
  },
  "config-unreadable": {
    title: "the configuration cannot be read",
    explanation:
      "The path exists, but leads to a folder, a device, a link to itself, or a file that you may not read. graphloom reads regular files and standard input only. Name a file, or correct its permissions.",
    example: {
      wrong: "graphloom check examples/nouns",
      right: "graphloom check examples/nouns/subgraph.json",
    },
  },
  "config-too-large": {
    title: "the configuration is larger than 64 MB",
    explanation:
      "Configurations are small, so this is usually the wrong file. If inline ABIs make it large, move each to a separate file and name its path.",
    example: {
      wrong: `"abis": { "Token": [ …a huge list… ] }`,
      right: `"abis": { "Token": { "path": "./abis/Token.json" } }`,
    },
  },
  "empty-config": {
    title: "the configuration is empty",
    explanation:
      "The file contains only white space and comments. A configuration is an object with a version, ABIs and instances. Check that you saved the file, or start from one of the examples.",
    example: { wrong: "", right: `{ "version": "1", "abis": { … }, "instances": [ … ] }` },
  },
  "manifest-given": {
    title: "the file is the manifest of a subgraph",
    explanation:
      "A manifest, usually subgraph.yaml, belongs to a subgraph that already has a schema and mappings. graphloom generates all of these from a configuration. Run the existing subgraph with the commands in the hint, or create a configuration with the one in the note.",
    example: {
      wrong: "graphloom check subgraph.yaml",
      right: "graphloom subgraph init pools --abi Pool.json --contract 0x… --network mainnet",
    },
  },
  "not-utf8": {
    title: "a file is not UTF-8",
    explanation:
      "graphloom reads configurations and ABIs as UTF-8, and this file contains invalid bytes. Guessing them could change names and texts in the subgraph. Save the file as UTF-8.",
    example: { wrong: "a file saved as UTF-16", right: "the same file saved as UTF-8" },
  },
  "syntax-error": {
    title: "the text is not JSON, JSON5 or YAML",
    explanation:
      "The format does not allow the marked text, so the rest of the file cannot be parsed. Files named .json may contain comments and trailing commas; unquoted keys and single quotes require .json5. The cause may be a quote or a bracket just before the marked text.",
    example: { wrong: `{ "version": 1" }`, right: `{ "version": "1" }` },
  },
  "unexpected-end": {
    title: "the text ends too early",
    explanation:
      "A string, comment, list or object is opened but never closed. If known, its start is shown. Close it, or use the complete file if this one was cut off.",
    example: { wrong: `{ "version": "1"`, right: `{ "version": "1" }` },
  },
  "too-deep": {
    title: "values nest too deeply",
    explanation:
      "Lists and objects are nested far deeper than any configuration needs. The limit keeps a broken or malicious file from exhausting memory. Look for brackets repeated by mistake.",
    example: { wrong: `"abis": [[[[[[[[ … ]]]]]]]]`, right: `"abis": { "Token": [ … ] }` },
  },
  "duplicate-key": {
    title: "an object has the same key twice",
    explanation:
      "Only one of the two values could apply, and parsers disagree on which. This is an error, so that no value is lost unnoticed. Remove one of the two, or rename one.",
    example: { wrong: `{ "startBlock": 1, "startBlock": 2 }`, right: `{ "startBlock": 2 }` },
  },
  "yaml-tag": {
    title: "YAML tags are not supported",
    explanation:
      "A word that begins with an exclamation mark is a tag, which tells a YAML parser to construct a special value. Configurations consist of plain strings, numbers, lists and objects, so tags are rejected. Remove the tag; put text that looks like a number in quotes.",
    example: { wrong: `version: !!str 1`, right: `version: "1"` },
  },
  "yaml-directive": {
    title: "YAML directives are not supported",
    explanation:
      "A line that begins with % changes how a YAML file is parsed. Configurations are always YAML 1.2, so such lines are rejected. Remove the line and the --- below it.",
    example: { wrong: `%YAML 1.1\n---\nversion: "1"`, right: `version: "1"` },
  },
  "yaml-documents": {
    title: "a file contains several YAML documents",
    explanation:
      "The line --- starts a new document in the same file. A configuration is a single document, so the rest would be lost. Remove it, or move it to a separate file.",
    example: { wrong: `version: "1"\n---\nversion: "1"`, right: `version: "1"` },
  },
  "yaml-key": {
    title: "a YAML key is not text",
    explanation:
      "YAML allows lists, objects and empty values as keys. The keys of a configuration are names, so they must be text. Put the key in quotes.",
    example: { wrong: `abis:\n  ? [a, b]\n  : …`, right: `abis:\n  "a b": …` },
  },
  "yaml-merge": {
    title: "a YAML merge key needs an alias of an object",
    explanation:
      "The key << copies the entries of another object into this one. Its value must therefore be an alias of an object, or a list of such aliases. Give the object an anchor and name it here.",
    example: { wrong: `<<: mainnet`, right: `<<: *mainnet` },
  },
  "yaml-alias": {
    title: "a YAML alias has no anchor",
    explanation:
      "An alias such as *token stands for an earlier value with the anchor &token. There is no such anchor before this alias, or the value would contain itself. Correct the name, or move the anchor before the alias.",
    example: { wrong: `abi: *tokn`, right: `abi: *token` },
  },
  "yaml-aliases": {
    title: "YAML aliases repeat too many values",
    explanation:
      "Nested aliases multiply, so a few lines can expand to billions of values. The limit keeps such a file from exhausting memory. Write the values out, or nest fewer aliases.",
    example: { wrong: `b: &b [*a, *a, *a]\nc: &c [*b, *b, *b]`, right: `b: &b [*a]` },
  },
} as const satisfies Record<string, CatalogEntry>;
