// Lets the reader zoom into the history of a subgraph: makes a button for it, and loads the rest when it is pressed.
// Without this script the page has the charts that the server drew.
const section = document.getElementById("history");

/** Puts the button into the place for it, which is there as soon as anything was measured. */
function offer() {
  const place = document.getElementById("history-zoom");
  if (!place || place.hasChildNodes()) return;
  const button = document.createElement("button");
  button.type = "button";
  const problem = document.createElement("p");
  problem.className = "small bad";
  problem.setAttribute("role", "alert");
  let chart;
  let isLoading = false;
  const tell = () => {
    button.textContent = chart ? "Close zoom" : "Zoom";
    button.setAttribute("aria-expanded", String(chart !== undefined));
  };
  button.addEventListener("click", async () => {
    if (isLoading) return;
    problem.textContent = "";
    if (chart) {
      chart.close();
      chart = undefined;
      return tell();
    }
    isLoading = true;
    try {
      const { openChart } = await import("./zoom-chart.js");
      chart = await openChart(place);
    } catch {
      problem.textContent = "The figures did not load. Try again.";
    }
    isLoading = false;
    tell();
  });
  tell();
  place.append(button, problem);
}

new MutationObserver(offer).observe(section, { childList: true, subtree: true });
offer();
