import { onTestFinished } from "vitest";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { until } from "../../support/until.js";
import { graphloom, type Ran } from "../harness.js";

/** A `dev` that runs in this process. */
export interface StartedDev {
  /** The address that answers queries. */
  readonly address: string;
  /** Everything printed on standard error so far. */
  said(): string;
  /** Sends a query. @returns its data @throws Error for any other answer */
  query(text: string): Promise<Answer>;
  /** Repeats a query until it succeeds. */
  firstAnswer(text: string): Promise<Answer>;
  /** Interrupts the command, and waits until it ends. */
  interrupt(): Promise<Ran>;
}

type Answer = Readonly<Record<string, unknown>>;

/** Starts `dev` and waits for its address; after the test, `dev` is interrupted. */
export async function startDev(
  cwd: string,
  line: string,
  env: Readonly<Record<string, string>> = sharedCache,
): Promise<StartedDev> {
  const end = new AbortController();
  let [out, err] = ["", ""];
  const ended = graphloom(cwd, `dev ${line}`, {
    signal: end.signal,
    env,
    onOut: (text) => {
      out += text;
    },
    onErr: (text) => {
      err += text;
    },
  });
  let code: number | undefined;
  void ended.then((ran) => {
    code = ran.code;
  });
  const interrupt = (): Promise<Ran> => {
    end.abort();
    return ended;
  };
  onTestFinished(async () => void (await interrupt()));
  const address = await until(() => {
    if (code !== undefined) throw new Error(`dev ended with ${code}: ${err}`);
    return /http:\/\/\S+\/dev\/gn/.exec(out)?.[0];
  });
  const ask = async (query: string) => {
    const answer = await fetch(address, { method: "POST", body: JSON.stringify({ query }) });
    const text = await answer.text();
    const { data, errors } = JSON.parse(text);
    return { data, failure: !answer.ok || errors ? `${answer.status} ${text}` : undefined };
  };
  return {
    address,
    said: () => err,
    query: async (query) => {
      const { data, failure } = await ask(query);
      if (failure !== undefined) throw new Error(failure);
      return data;
    },
    firstAnswer: (query) =>
      until(async () => {
        const { data, failure } = await ask(query);
        if (failure === undefined) return data;
        if (!failure.includes("has not started syncing yet")) throw new Error(failure);
        return undefined;
      }),
    interrupt,
  };
}
