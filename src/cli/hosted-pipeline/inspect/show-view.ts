import type { InspectEvent } from "../../../api/pipeline-operations.js";
import type { OpenScreen, Screen } from "../../terminal/screen.js";
import { type FollowWorld, followRows } from "./follow-rows.js";
import { keysIn } from "./keys.js";
import { press } from "./press-key.js";
import { linesOf, pageOf } from "./view-lines.js";
import { newView, take, type ViewState } from "./view-state.js";

/** Milliseconds between two frames while rows come. */
const frame = 100;

/**
 * Shows rows on the whole terminal until the user quits.
 * @param stop ends the connection
 * @throws errors of `followRows`, after the terminal was restored
 */
export async function showView(
  { name, bufferSize }: Pick<ViewState, "name" | "bufferSize">,
  openScreen: OpenScreen,
  world: FollowWorld,
  stop: () => void,
): Promise<NonNullable<ViewState["end"]>> {
  let state = newView(name, bufferSize);
  let events: InspectEvent[] = [];
  let screen: Screen | undefined;
  const draw = (): void => {
    if (events.length > 0) {
      state = take(state, events);
      events = [];
    }
    screen?.draw(linesOf(state, screen.size));
  };
  screen = openScreen({
    keys: (text) => {
      for (const key of keysIn(text)) state = press(state, key, pageOf(screen?.size ?? usualSize));
      draw();
      if (state.end) stop();
    },
    resized: draw,
  });
  const timer = setInterval(() => {
    if (events.length > 0) draw();
  }, frame);
  try {
    draw();
    await followRows(world, {
      event: (event) => events.push(event),
      connection: (connection) => {
        state = { ...state, connection };
        draw();
      },
    });
    if (!world.signal.aborted) {
      state = { ...state, connection: "completed" };
      draw();
      await new Promise<void>((resolve) => world.signal.addEventListener("abort", () => resolve()));
    }
    return state.end ?? "interrupted";
  } finally {
    clearInterval(timer);
    screen.close();
  }
}

const usualSize = { rows: 24, columns: 80 };
