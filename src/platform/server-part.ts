import type { Routes } from "./http/app.js";
import type { Platform } from "./platform.js";

/** A part of a server, created from the shared platform before the server listens. */
export type ServerPart = (platform: Platform) => RunningPart | Promise<RunningPart>;

export interface RunningPart {
  /** The routes that it adds to the server. */
  readonly routes?: Routes | readonly Routes[];
  /**
   * Listens on separate ports, once the server listens.
   * @throws ListenError
   */
  readonly listen?: () => Promise<void>;
  /** Ends its work, after the server stops accepting requests and before the engines end. */
  readonly close?: () => Promise<void>;
}
