import { expect, it } from "vitest";
import { HeadNews } from "../../../src/pipelines/host/served/served-chains.js";

/** News of heads that a test announces. */
function announced() {
  let announce: () => void = () => undefined;
  const news = new HeadNews(
    () =>
      new Promise((resolve) => {
        announce = resolve;
      }),
  );
  return { news, announce: () => announce() };
}

it("the host reports one head to all waiting sources", async () => {
  const { news, announce } = announced();
  const waits = [news.listener(), news.listener()].map((next) => next());
  announce();
  await expect(Promise.all(waits)).resolves.toHaveLength(2);
});

it("the host passes a head on to a source that was busy when it arrived", async () => {
  const { news, announce } = announced();
  const [quick, slow] = [news.listener(), news.listener()];
  const first = quick();
  announce();
  await first;
  await expect(slow()).resolves.toBeUndefined();
});

it("the host lets a source wait that has received every head", async () => {
  const { news, announce } = announced();
  const next = news.listener();
  const first = next();
  announce();
  await first;
  const state = await Promise.race([next().then(() => "told"), Promise.resolve("waits")]);
  expect(state).toBe("waits");
});
