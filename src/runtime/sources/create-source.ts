import type { World } from "../../base/world.js";
import type { HistorySource } from "../indexer/history/history-source.js";
import { createHyperSyncSource } from "./hypersync/hypersync-source.js";
import { createPortalSource } from "./portal/portal-source.js";
import type { SourceOptions } from "./streamed-source.js";

/** The kinds of services with history. */
export const sourceKinds = ["portal", "hypersync"] as const;

export type SourceKind = (typeof sourceKinds)[number];

/** A service, and how it is reached. */
export interface SourcePlace {
  readonly kind: SourceKind;
  /** Its address, which may contain a key. */
  readonly url: string;
  /** The token of its API. */
  readonly token?: string | undefined;
}

/** Opens a service with the history of a chain. @throws ChainError if the address is not a web URL */
export function createSource(
  { kind, url, token }: SourcePlace,
  world: World,
  options: SourceOptions,
): HistorySource {
  return kind === "portal"
    ? createPortalSource(url, world, options)
    : createHyperSyncSource(url, token, world, options);
}
