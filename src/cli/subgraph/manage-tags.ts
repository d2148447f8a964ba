import type { Subgraph } from "../../api/contract.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { confirm, declined } from "./confirm.js";
import { made, makeChange } from "./make-change.js";
import type { SubgraphArguments } from "./manage-subgraph.js";
import { subgraphVersion, tagList } from "./subgraph-version.js";

/** Points tags to a version; returns the exit code. */
export async function createTag(
  args: SubgraphArguments & { readonly tag: string; readonly output: "table" | "json" },
  terminal: Terminal,
): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const tags = tagList(args.tag);
  const { api } = await openSession(args, terminal);
  const pointed: Subgraph[] = [];
  for (const tag of tags) {
    const set = await makeChange({
      claim: `${name}/${tag} points to ${name}/${version}`,
      make: () => api.setTag(name, tag, version),
      look: async () => {
        const answer = await api.getSubgraphVersion(name, tag);
        return answer?.tag?.target_version === version ? { answer } : undefined;
      },
      advice: `Check where it points: graphloom subgraph list ${name}/${tag}`,
    });
    pointed.push(set);
    if (args.output !== "json")
      terminal.out(`${name}/${tag} points to ${name}/${version}: ${visible(set.graphql_endpoint)}\n`);
  }
  if (args.output === "json") printJson(pointed, terminal);
  return exitCodes.clean;
}

/** Removes tags from a version, which is kept; returns the exit code. */
export async function deleteTag(
  args: SubgraphArguments & { readonly tag: string; readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const tags = tagList(args.tag);
  const { api } = await openSession(args, terminal);
  for (const tag of tags) {
    // The API deletes a tag by the subgraph's name alone, so protect a tag of another version here.
    const target = (await api.requireSubgraphVersion(name, tag)).tag?.target_version;
    if (target !== undefined && target !== version)
      throw new UsageError(
        `${name}/${tag} points to ${name}/${target}, not to ${name}/${version}. To delete it, name ${name}/${target}.`,
      );
  }
  const what = tags.map((tag) => `${name}/${tag}`).join(", ");
  if (!(await confirm(`Delete the tag ${what}? Queries to it will then fail.`, args.force, terminal)))
    return declined(terminal);
  for (const tag of tags) {
    await makeChange({
      claim: `the tag ${name}/${tag} was deleted`,
      make: () => api.deleteTag(name, tag),
      look: async () => ((await api.getSubgraphVersion(name, tag)) ? undefined : made),
      advice: `Check whether it still exists: graphloom subgraph list ${name}/${tag}`,
    });
    terminal.out(`Deleted the tag ${name}/${tag}.\n`);
  }
  return exitCodes.clean;
}
