// Updates the parts of a page that are marked data-live whenever the server has published something new.
// The page works without it: it then shows what was known when it was loaded.
"use strict";
(() => {
  const PAUSE = 4000;
  let last = Date.now();
  let timer = 0;

  function isInUse(part) {
    const selection = document.getSelection();
    return part.contains(document.activeElement)
      || (selection && !selection.isCollapsed && part.contains(selection.anchorNode));
  }

  async function update() {
    timer = 0;
    last = Date.now();
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const fresh = next.getElementById(part.id);
      if (!fresh || fresh.innerHTML === part.innerHTML || isInUse(part)) continue;
      const open = [...part.querySelectorAll("details[open][id]")].map((details) => details.id);
      part.replaceChildren(...fresh.childNodes);
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    }
  }

  new EventSource("/events").addEventListener("published", () => {
    if (timer) return;
    timer = setTimeout(() => update().catch(() => {}), Math.max(0, last + PAUSE - Date.now()));
  });
})();
