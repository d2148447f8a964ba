// Fingers on an area that has a time axis from left to right: one drags over a part of it, two pull it apart or together.
// The style of the area is `touch-action: pan-y`, so that the browser still scrolls the page up and down.

/** Pixels that a finger moves before it drags. */
const slack = 5;
/** Two fingers that are closer than so many pixels do not pull. */
const closest = 20;

/**
 * Hears of fingers on an area. All places are pixels from its left edge, and lie within it.
 * @param area the element
 * @param to.dragged a finger drags, from a place to another one
 * @param to.ended the drag is over, or has come to nothing: the page scrolls, or there is a second finger
 * @param to.pulled two fingers have moved, from two places to two others
 */
export function hearTouches(area, { dragged, ended, pulled }) {
  /** The places of the fingers. */
  const fingers = new Map();
  /** Where the only finger has begun; nothing after there were two. */
  let begin;
  let isDragging = false;
  const note = ({ pointerId, clientX }) => {
    const { left, width } = area.getBoundingClientRect();
    fingers.set(pointerId, Math.min(width, Math.max(0, clientX - left)));
    return [...fingers.values()];
  };
  const end = (isWhole) => {
    if (isDragging) ended(isWhole);
    isDragging = false;
    begin = undefined;
  };
  area.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    end(false);
    const places = note(event);
    if (places.length === 1) [begin] = places;
  });
  area.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    const now = note(event);
    if (now.length === 2 && areApart(before) && areApart(now)) pulled(before, now);
    if (begin === undefined) return;
    isDragging ||= Math.abs(now[0] - begin) >= slack;
    if (isDragging) dragged(begin, now[0]);
  });
  for (const over of ["pointerup", "pointercancel"]) {
    area.addEventListener(over, ({ type, pointerId }) => {
      if (fingers.delete(pointerId)) end(type === "pointerup");
    });
  }
}

function areApart([one, other]) {
  return Math.abs(one - other) >= closest;
}
