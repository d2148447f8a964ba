import { onTestFinished } from "vitest";
import { startRecordingServer } from "./recording-server.js";

/** What a played gateway answers: JSON with status 200, another status with a text, nothing at all, or without end. */
export type Answer =
  | unknown
  | { readonly status: number; readonly text: string }
  | "nothing"
  | "floods"
  | "trickles";

/** Starts a gateway that a test plays. @param answer gets the method with the path, and the body */
export async function playedGateway(answer: (request: string, body: string) => Answer): Promise<string> {
  const server = await startRecordingServer();
  onTestFinished(() => server.stop());
  server.answer(({ method, path, body }) => {
    const given = answer(`${method} ${path}`, body);
    if (given === "nothing") return "hangs";
    if (given === "floods" || given === "trickles") return given;
    const { status = 200, text = JSON.stringify(given) } = (given ?? {}) as {
      readonly status?: number;
      readonly text?: string;
    };
    return { status, body: text };
  });
  return server.url;
}

/** A gateway's answers to any request: sessions and operations. */
export const handles = (request: string): Answer | undefined => {
  if (request === "POST /v1/sessions") return { sessionHandle: "s-1" };
  if (request.startsWith("DELETE")) return {};
  if (request.endsWith("/statements")) return { operationHandle: "o-1" };
  return undefined;
};
/** A page of a result. @param next the path of the next page */
export const rows = (fields: readonly (readonly unknown[])[], next?: string): Answer => ({
  resultType: next === undefined ? "EOS" : "PAYLOAD",
  ...(next !== undefined && { nextResultUri: next }),
  results: {
    columns: (fields[0] ?? []).map((_, index) => ({ name: `c${index}` })),
    data: fields.map((row) => ({ kind: "INSERT", fields: row })),
  },
});
