import { entriesOf, tagOf, versionOf } from "./management-memory.js";
import type { Answer } from "./management-operations.js";
import { onePage, pageOf } from "./management-pages.js";
import { conflict, notFound } from "./management-problem.js";
import { look, showEntry } from "./management-show.js";
import type { ManagementOptions, ManagementState } from "./management-state.js";

/** Reading and changing versions and tags. */
export function createSubgraphOperations(
  state: ManagementState,
  { pageSize = 50, looks = 2, logPageSize = 100 }: ManagementOptions,
): Readonly<Record<string, Answer>> {
  return {
    listSubgraphs: (ask) =>
      pageOf(
        entriesOf(state).map((entry) => showEntry(state, entry, ask.origin)),
        ask,
        pageSize,
      ),
    getSubgraph: ({ parameters: { name }, origin }) => {
      const found = entriesOf(state).filter((entry) => entry.name === name);
      if (found.length === 0) throw notFound(String(name));
      return onePage(found.map((entry) => showEntry(state, entry, origin)));
    },
    getSubgraphVersion: ({ parameters: { name, version }, origin }) => {
      const tag = tagOf(state, name, version);
      const looked = look(versionOf(state, name, tag?.target ?? version), looks);
      return onePage([showEntry(state, tag ?? looked, origin)]);
    },
    updateSubgraphVersion: ({ parameters: { name, version }, body, origin }) => {
      const entry = tagOf(state, name, version) ?? versionOf(state, name, version);
      if (body.description !== undefined) entry.description = String(body.description);
      if (body.public_endpoint_enabled !== undefined)
        entry.publicEnabled = body.public_endpoint_enabled === true;
      if (body.private_endpoint_enabled !== undefined)
        entry.privateEnabled = body.private_endpoint_enabled === true;
      return { data: showEntry(state, entry, origin) };
    },
    pauseSubgraph: ({ parameters: { name, version } }) => {
      versionOf(state, name, version).paused = true;
      return {};
    },
    resumeSubgraph: ({ parameters: { name, version } }) => {
      versionOf(state, name, version).paused = false;
      return {};
    },
    setSubgraphTag: ({ parameters: { name, version: tag }, body, origin }) => {
      const target = versionOf(state, name, body.target_version);
      if (state.versions.some((each) => each.name === name && each.version === tag)) {
        throw conflict(`"${name}/${tag}" is a version; a tag needs another name.`);
      }
      const known = tagOf(state, name, tag);
      const entry = known ?? {
        name: String(name),
        tag: String(tag),
        target: target.version,
        description: null,
        publicEnabled: true,
        privateEnabled: false,
      };
      entry.target = target.version;
      if (!known) state.tags.push(entry);
      return { data: showEntry(state, entry, origin) };
    },
    deleteSubgraphTag: ({ parameters: { name, version: tag } }) => {
      const known = tagOf(state, name, tag);
      if (!known) throw notFound(`${name}/${tag}`);
      state.tags.splice(state.tags.indexOf(known), 1);
      return {};
    },
    getSubgraphLogs: ({ parameters }) => {
      const {
        name,
        version,
        after,
        cursor = 0,
        direction = "desc",
        search,
        log_level,
        log_levels,
      } = parameters;
      const { logs } = versionOf(state, name, version);
      const order = ["debug", "info", "warn", "error"];
      const wanted =
        log_levels === undefined
          ? order.slice(Math.max(0, order.indexOf(String(log_level ?? "debug"))))
          : String(log_levels).split(",");
      const fitting = logs
        .filter((entry) => wanted.includes(entry.level) && entry.timestamp >= Number(after ?? 0))
        .filter(({ text }) => text.toLowerCase().includes(String(search ?? "").toLowerCase()))
        .sort((a, b) => (direction === "asc" ? a.timestamp - b.timestamp : b.timestamp - a.timestamp));
      const end = Number(cursor) + logPageSize;
      return {
        data: { results: fitting.slice(Number(cursor), end), ...(end < fitting.length && { cursor: end }) },
      };
    },
  };
}
