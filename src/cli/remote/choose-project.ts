import type { AccountProject } from "../../api/account-operations.js";
import { quote } from "../../base/text/quote.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Limit of the projects that a message names. */
const mostNamed = 10;

/**
 * Finds a project by its id or name.
 * @param named its id or its name
 * @throws UsageError when no project or several projects have that name
 */
export function chooseProject(projects: readonly AccountProject[], named: string): AccountProject {
  const exact = projects.find(({ id }) => id === named);
  if (exact) return exact;
  const [found, second] = projects.filter(({ name }) => name === named);
  if (found && !second) return found;
  if (second) {
    const ids = projects.filter(({ name }) => name === named).map(({ id }) => id);
    throw new UsageError(
      `Several of your projects are called ${quote(named)}. Pass an id: ${ids.join(" or ")}.`,
    );
  }
  if (projects.length === 0)
    throw new UsageError("You are not in a project yet. Create one: graphloom project create --name <name>");
  const shown = projects.slice(0, mostNamed).map(({ id, name }) => `${quote(name)} (${id})`);
  const more = projects.length > mostNamed ? ", and others" : "";
  throw new UsageError(
    `You are not in a project ${quote(named)}. Your projects: ${shown.join(", ")}${more}.`,
  );
}
