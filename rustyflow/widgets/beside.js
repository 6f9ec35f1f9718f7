// Figures beside each other fill the screen together: by `f` in one of them, or its button; Escape ends it. Their row comes to
// the top layer from where it is in the page. They share its width where numbers of 18 pixels are 20 in that; else they stand
// under each other, as large as can be read from the last row, and it scrolls.
(() => {
  const KEY = "@KEY@", page = window.rustyflowBeside ??= {};

  const fill = (row, on) => {
    const css = getComputedStyle(row.querySelector("[data-lm-suppress-shortcuts]"));
    row.was ??= [row, ...row.children].map(part => part.style.cssText);
    page.filled = on ? row : null;
    if (on) {
      row.style.cssText = `display:flex;gap:12px;position:fixed;inset:0;box-sizing:border-box;width:100vw;height:100vh;
        max-width:none;max-height:none;margin:0;border:0;padding:8px;overflow:auto;overscroll-behavior:contain;background:${css.getPropertyValue("--ground")}`;
      row.popover = "manual";
      row.showPopover();
      fit(row);
      if (parent !== window) new IntersectionObserver(([{intersectionRect: seen}], eyes) => {  // of a taller frame what is seen
        eyes.disconnect();
        if (page.filled !== row || !seen.height) return;
        Object.assign(row.style, {top: seen.top + "px", height: seen.height + "px"});
        fit(row);
      }).observe(row);
    } else {
      for (const host of figures(row)) least(host, 700);
      [row, ...row.children].forEach((part, k) => { part.style.cssText = row.was[k]; });
      row.hidePopover();
      row.removeAttribute("popover");
    }
  };
  const figures = row => [...row.querySelectorAll("[data-lm-suppress-shortcuts]")].filter(host => host.scene);
  const least = (host, most) => { host.whole = most === Infinity; host.fit(); };
  const fit = row => {  // words of 15 px in a drawing are 21 px on a projector of 1280 by 720
    const size = Math.min(innerWidth / 1280, row.clientHeight / 720), zoom = Math.max(1, 1.4 * size), many = row.children.length;
    const room = (row.clientWidth - 16 - 12 * (many - 1)) / many, shared = figures(row).every(host => room / (host.reach + 8) >= 1.11 * size);
    row.style.flexDirection = shared ? "row" : "column";
    for (const host of figures(row)) least(host, shared ? Infinity : 700);  // what opens at the right is scrolled to
    for (const place of row.children)
      place.style.cssText = shared ? `flex:1 1 0;min-width:0;zoom:${1.12 * size}` : `flex:none;width:min(100%,900px);margin:0 auto;zoom:${zoom}`;
  };
  const rowOf = e => e.composedPath().find(part => part.dataset?.beside);
  const take = (e, row, on) => { e.preventDefault(); e.stopPropagation(); fill(row, on); };

  if (!page.heard && HTMLElement.prototype.showPopover) {
    page.heard = true;
    addEventListener("keydown", e => {
      const row = rowOf(e) ?? page.filled, [at] = e.composedPath(), host = e.composedPath().find(part => part.sheet);
      const types = /^(input|select|textarea)$/.test(at.localName) && at.type !== "range";
      if (!row || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === "f" && !types) take(e, row, row !== page.filled);
      else if (e.key === "Escape" && page.filled && types && host) {  // what was typed is done, and the figure has the keys
        e.preventDefault(); e.stopPropagation();
        host.stage.focus();
      } else if (e.key === "Escape" && page.filled && !host?.pinned && host?.sheet.hidden !== false) take(e, page.filled, false);
    }, true);
    addEventListener("click", e => {
      const row = rowOf(e), button = e.composedPath().find(part => part.localName === "button");
      if (row && button?.title.startsWith("fill the screen")) take(e, row, row !== page.filled);
    }, true);
    addEventListener("resize", () => page.filled && fit(page.filled));
  }
  if (page.filled?.dataset.beside === KEY && !page.filled.isConnected)  // it was written anew
    requestAnimationFrame(() => [...document.querySelectorAll(`[data-beside="${KEY}"]`)].slice(0, 1).forEach(row => fill(row, true)));
})();
