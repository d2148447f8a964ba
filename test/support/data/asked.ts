import type { DataAnswer } from "../../../src/data/answers/data-answer.js";
import type { DataService } from "../../../src/data/service/data-service.js";

/** The key of services in tests. */
export const dataKey = "key-of-the-test";

/** An answer whose body a test may look into. */
export interface Asked extends Omit<DataAnswer, "body"> {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** Asks a service as a client with its key does. */
export async function ask(
  service: DataService,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<Asked> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  const { body, ...answer } = await service.answer({
    method: "GET",
    url: `${path}?${search}`,
    header: (name) => (name === "x-api-key" ? dataKey : undefined),
  });
  return { ...answer, body: JSON.parse(body) };
}
