import type { CatalogEntry } from "./entry.js";

/** Codes of files that cannot be read and texts that cannot be parsed. */
export const readingCodes = {
  "config-missing": {
    title: "there is no such configuration file",
    explanation:
      "The path on the command line leads to no file. Relative paths are seen from the folder in which graphloom runs. Correct the path, or change the folder.",
    example: { wrong: "graphloom check subgrap.json", right: "graphloom check subgraph.json" },
  },
  "config-unreadable": {
    title: "the configuration cannot be read",
    explanation:
      "Something is at the path, but it is a folder, a device, a link that leads back to itself, or a file without permission to read. graphloom reads ordinary files and standard input only. Name a file, or give yourself the permission.",
    example: {
      wrong: "graphloom check examples/nouns",
      right: "graphloom check examples/nouns/subgraph.json",
    },
  },
  "config-too-large": {
    title: "the configuration is larger than 64 MB",
    explanation:
      "Configurations are small texts; one of this size is usually another file given by mistake. Should ABIs inside it make it large, keep each of them in a file of its own and name its path.",
    example: {
      wrong: `"abis": { "Token": [ …a huge list… ] }`,
      right: `"abis": { "Token": { "path": "./abis/Token.json" } }`,
    },
  },
  "empty-config": {
    title: "the configuration is empty",
    explanation:
      "The file holds nothing but white space and comments. A configuration is an object with a version, ABIs and instances. Check that the file was saved, or begin with one of the examples.",
    example: { wrong: "", right: `{ "version": "1", "abis": { … }, "instances": [ … ] }` },
  },
  "manifest-given": {
    title: "the file is the manifest of a subgraph",
    explanation:
      "A manifest, subgraph.yaml, belongs to a subgraph that is written already: with its schema and its mappings. A configuration is what graphloom makes all of these of. Make a configuration of the contract with the command in the hint, or deploy the subgraph as it is with --path.",
    example: {
      wrong: "graphloom check subgraph.yaml",
      right: "graphloom subgraph init pools --abi Pool.json --contract 0x… --network mainnet",
    },
  },
  "not-utf8": {
    title: "a file is not UTF-8",
    explanation:
      "Configurations and ABIs are read as UTF-8, and this file has bytes that mean nothing in it. Reading on would guess at names and texts that end up in the subgraph. Save the file as UTF-8; every editor can.",
    example: { wrong: "a file saved as UTF-16", right: "the same file saved as UTF-8" },
  },
  "syntax-error": {
    title: "the text is not JSON, JSON5 or YAML",
    explanation:
      "At the marked place something stands that the format does not allow, so nothing behind it can be understood. In .json files comments and trailing commas are fine; unquoted keys and single quotes need .json5. The cause may be a quote or a bracket just before the marked place.",
    example: { wrong: `{ "version": 1" }`, right: `{ "version": "1" }` },
  },
  "unexpected-end": {
    title: "the text ends too early",
    explanation:
      "A string, comment, list or object is begun and never closed. A related place shows what is still open, where that is known. Close it; when the file was cut off, take the whole one.",
    example: { wrong: `{ "version": "1"`, right: `{ "version": "1" }` },
  },
  "too-deep": {
    title: "values nest too deeply",
    explanation:
      "Lists and objects are nested far deeper than any configuration needs. The limit keeps a broken or hostile file from exhausting memory. Look for a bracket that is repeated by mistake.",
    example: { wrong: `"abis": [[[[[[[[ … ]]]]]]]]`, right: `"abis": { "Token": [ … ] }` },
  },
  "duplicate-key": {
    title: "an object has the same key twice",
    explanation:
      "Only one of two values under the same key could count, and formats disagree on which. So that nothing is lost unnoticed, it is an error. Remove one of the two, or give one another name.",
    example: { wrong: `{ "startBlock": 1, "startBlock": 2 }`, right: `{ "startBlock": 2 }` },
  },
  "yaml-tag": {
    title: "YAML tags have no meaning here",
    explanation:
      "A word with exclamation marks is a tag: it tells a YAML reader to make something special of a value. Configurations consist of plain texts, numbers, lists and objects, so tags are refused. Remove it; put text that looks like a number in quotes.",
    example: { wrong: `version: !!str 1`, right: `version: "1"` },
  },
  "yaml-directive": {
    title: "YAML directives are not supported",
    explanation:
      "A line that begins with % changes how a YAML file is read. Configurations are always read as YAML 1.2, so such lines are refused. Remove the line and the --- below it.",
    example: { wrong: `%YAML 1.1\n---\nversion: "1"`, right: `version: "1"` },
  },
  "yaml-documents": {
    title: "a file holds several YAML documents",
    explanation:
      "The line --- begins another document in the same file. A configuration is one document, so what follows would be lost. Remove it, or keep it in a file of its own.",
    example: { wrong: `version: "1"\n---\nversion: "1"`, right: `version: "1"` },
  },
  "yaml-key": {
    title: "a YAML key is not text",
    explanation:
      "YAML allows lists, objects and empty values as keys. Keys of a configuration are names, and therefore text. Put the key in quotes.",
    example: { wrong: `abis:\n  ? [a, b]\n  : …`, right: `abis:\n  "a b": …` },
  },
  "yaml-merge": {
    title: "a YAML merge key takes an alias of an object",
    explanation:
      "The key << copies the entries of another object into this one. What stands behind it must therefore be an alias of an object, or a list of such aliases. Give the object an anchor and name it here.",
    example: { wrong: `<<: mainnet`, right: `<<: *mainnet` },
  },
  "yaml-alias": {
    title: "a YAML alias leads nowhere",
    explanation:
      "An alias such as *token stands for the value that has the anchor &token before it. Here no such anchor comes before, or the value would contain itself. Correct the name, or put the anchor first.",
    example: { wrong: `abi: *tokn`, right: `abi: *token` },
  },
  "yaml-aliases": {
    title: "YAML aliases repeat too many values",
    explanation:
      "Aliases of aliases multiply, and a few lines can stand for billions of values. The limit keeps such a file from exhausting memory. Write the values out, or use fewer aliases inside one another.",
    example: { wrong: `b: &b [*a, *a, *a]\nc: &c [*b, *b, *b]`, right: `b: &b [*a]` },
  },
} as const satisfies Record<string, CatalogEntry>;
