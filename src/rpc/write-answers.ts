import type { Outcome } from "./match-answers.js";

const encoder = new TextEncoder();

/** JSON-RPC errors that need no node. */
export const refusals = {
  parse: { code: -32700, message: "The body is not JSON." },
  request: { code: -32600, message: "The body is not a JSON-RPC request." },
  unanswered: { code: -32603, message: "The node gave no answer to this request." },
} as const;

/** Writes an error answer. @param id JSON */
export function refusalTo(id: string, refusal: (typeof refusals)[keyof typeof refusals]): Uint8Array {
  return answerTo(id, { error: encoder.encode(JSON.stringify(refusal)) });
}

/** Writes the answer to one call. @param id JSON */
export function answerTo(id: string, { result, error }: Outcome): Uint8Array {
  if (!result && !error) return refusalTo(id, refusals.unanswered);
  const name = result ? "result" : "error";
  return join([encoder.encode(`{"jsonrpc":"2.0","id":${id},"${name}":`), result ?? error ?? [], [close]]);
}

/** Writes a whole answer: a list or a single answer; empty if there is none. */
export function joinAnswers(answers: readonly Uint8Array[], isList: boolean): Uint8Array {
  if (answers.length === 0) return new Uint8Array(0);
  if (!isList) return join(answers);
  const separated = answers.flatMap((answer, index) => (index === 0 ? [answer] : [[comma], answer]));
  return join([[openList], ...separated, [closeList]]);
}

const [openList, closeList, comma, close] = [0x5b, 0x5d, 0x2c, 0x7d];

/** Uses separate memory, so that it can be transferred. */
function join(pieces: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
