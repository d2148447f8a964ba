import { ChainError } from "../../../src/runtime/chain/chain.js";
import type { Files } from "../../../src/runtime/files/files.js";

/** A gateway that gives what it is told to. */
export interface PlayedFiles extends Files {
  /** Gives it a file, which it only finds when it is asked for the so-manieth time. */
  put(path: string, content: string, fromAsked?: number): void;
  /** Whether it cannot be reached. */
  isAway: boolean;
  /** What it was asked for. */
  readonly asked: readonly string[];
}

export function playFiles(): PlayedFiles {
  const held = new Map<string, { readonly content: string; readonly fromAsked: number }>();
  const asked: string[] = [];
  return {
    asked,
    isAway: false,
    put: (path, content, fromAsked = 1) => void held.set(path, { content, fromAsked }),
    async read(path) {
      asked.push(path);
      if (this.isAway) throw new ChainError("the gateway is away");
      const found = held.get(path);
      const times = asked.filter((one) => one === path).length;
      return found && times >= found.fromAsked ? new TextEncoder().encode(found.content) : undefined;
    },
  };
}

/** The address of a file that nobody has; different for different letters. */
export const fileNamed = (letter: string): string => `Qm${letter.repeat(44)}`;
