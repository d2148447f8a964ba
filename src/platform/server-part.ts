import type { Routes } from "./http/app.js";
import type { Platform } from "./platform.js";

/** A part of a server: made of what all parts have in common, before the server listens. */
export type ServerPart = (platform: Platform) => RunningPart | Promise<RunningPart>;

/** A part that works. */
export interface RunningPart {
  /** What it adds to the server. */
  readonly routes?: Routes | readonly Routes[];
  /** Ends its work, when nothing more is accepted and before the engines end. */
  readonly close?: () => Promise<void>;
}
