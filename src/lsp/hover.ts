import { callSignature, manifestSignature } from "../compiler/abi/abi.js";
import type { Location } from "../compiler/source/source.js";
import { member } from "../compiler/source/tree.js";
import { expressionAt, schemaOf } from "./complete.js";
import type { Cursor } from "./cursor.js";
import { membersOf, nameAround } from "./expressions.js";
import { handlerAt } from "./handler-at.js";
import type { ReadConfig } from "./read-config.js";

/** What is shown about a place: Markdown. */
export interface Shown {
  readonly at: Location;
  readonly markdown: string;
}

/** What the name at a place stands for; `undefined` if there is nothing to say. */
export function hoverAt(config: ReadConfig, cursor: Cursor): Shown | undefined {
  const { text, path, kind } = cursor;
  const expression = kind === "value" ? expressionAt(config, path) : undefined;
  if (expression && text) {
    const found = nameAround(text.string.value, text.at);
    const name = found && membersOf(found.steps, expression).find((each) => each.name === found.name);
    if (!found || !name) return undefined;
    const about = name.about === undefined ? "" : `\n\n${name.about}`;
    return {
      at: text.string.part(found.start, found.start + found.name.length),
      markdown: `${code(`${name.name}: ${name.detail}`)}${about}`,
    };
  }
  if (!text) return undefined;
  const markdown = aboutText(config, cursor) ?? aboutSetting(cursor);
  return markdown === undefined ? undefined : { at: text.string.at, markdown };
}

/** About an event, a function or an ABI that a text names. */
function aboutText(config: ReadConfig, { path, kind, text }: Cursor): string | undefined {
  const value = text?.string.value ?? "";
  if (kind === "key" && path.length === 5 && path[3] === "handlers") {
    const { trigger } = handlerAt(config, path) ?? {};
    if (!trigger) return undefined;
    return trigger.kind === "event"
      ? code(`event ${manifestSignature(trigger)}`)
      : code(`function ${callSignature(trigger)}`);
  }
  const isCallName =
    path[5] === "calls" &&
    ((kind === "key" && path.length === 7) || (path.length === 8 && path[7] === "name"));
  if (isCallName) {
    const call = handlerAt(config, path)?.calls.find(({ key }) => key.value === path[6]);
    return (
      call?.fn &&
      `${code(`function ${callSignature(call.fn)}`)}\n\n${call.fn.mutability}, of the ABI ${call.abi}`
    );
  }
  if (kind === "value" && path.at(-1) === "abi" && path[0] === "instances") {
    const abi = config.abis.get(value)?.abi;
    return (
      abi &&
      `${abi.events.length} events and ${abi.functions.length} functions: ${abi.events.map(({ name }) => name).join(", ")}`
    );
  }
  return undefined;
}

/** About a setting, from the schema. */
function aboutSetting({ path, kind, inside, text }: Cursor): string | undefined {
  if (kind !== "key" || inside.kind !== "object" || !text || !member(inside, text.string.value))
    return undefined;
  const { properties } = schemaOf(path.slice(0, -1)) ?? {};
  if (!properties || !Object.hasOwn(properties, text.string.value)) return undefined;
  const { title, description } = (schemaOf(path) ?? {}) as {
    readonly title?: unknown;
    readonly description?: unknown;
  };
  return typeof description === "string"
    ? `${typeof title === "string" ? `**${title}**\n\n` : ""}${description}`
    : undefined;
}

function code(text: string): string {
  return `\`\`\`ts\n${text.replaceAll("`", "'")}\n\`\`\``;
}
