// In a notebook: what a cell shows that was run by hand, by a key, comes into view and takes the keys. Shift + Enter there runs the
// cell after it, and on a projector a clicker walks from figure to figure, where the page lets it run cells (`window.jupyterapp`).
const HAND = HUB.hand ??= (() => {
  const hand = {cell: null, ran: null, kept: null, first: true}, active = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active";
  addEventListener("keydown", e => {
    if (/Shift|Control|Meta|Alt/.test(e.key)) return;
    const runs = e.key === "Enter" && (e.shiftKey || e.ctrlKey || e.metaKey);
    hand.cell = runs && document.querySelector(active);  // anything typed since: what comes late takes no keys
    if (runs && !e.target.closest?.(FIGURES)) hand.ran = hand.cell;
    hand.kept = null;
  }, true);
  addEventListener("pointerdown", () => { hand.cell = hand.kept = null; }, true);
  return hand;
})();
const some = async (wanted, most = 99) => { for (let wait = 0; wait < most && !wanted(); wait++) await new Promise(done => setTimeout(done, 50)); };
const FIGURES = "[data-lm-suppress-shortcuts]", END = "This is the last step. In JupyterLab as rustyflow lab opens it, Page Down goes on to the next figure.";
const Walking = Base => class extends Base {
  greet() {  // just shown: was it by hand? The first on a page has heard no key, but the next cell is the active one then
    const next = this.closest(".jp-Cell")?.nextElementSibling;  // one that runs, too, is the last of all
    if (HAND.first && next?.matches(".jp-mod-active") && !next.querySelector(".jp-InputPrompt")?.textContent.includes("*")) HAND.cell = HAND.ran = this.closest(".jp-Cell");
    HAND.first = false;
    if (!HAND.cell || HAND.cell !== this.closest(".jp-Cell") || "stay" in document.documentElement.dataset) return;
    Object.assign(HAND, {cell: null, kept: this});
    const take = () => { if (HAND.kept === this) { this.stage.focus({preventScroll: true}); this.scrollIntoView({block: "start"}); } };
    this.addEventListener("focusout", () => requestAnimationFrame(take));  // JupyterLab takes the keys once more when the cell is done
    requestAnimationFrame(take);
    setTimeout(() => { if (HAND.kept === this) HAND.kept = null; }, 3000);
  }

  after(e) {  // Shift + Enter: the cell after the one that was run by hand; where it was not, its own, as anywhere
    const cell = this.closest(".jp-Cell"), next = cell?.nextElementSibling;
    if (e.key !== "Enter" || !e.shiftKey || !e.isTrusted || !next?.matches(".jp-Cell")) return false;
    if (cell !== HAND.ran) { HAND.ran = cell; return false; }
    e.preventDefault(); e.stopImmediatePropagation();
    next.tabIndex = -1;
    next.focus();
    HAND.cell = HAND.ran = next;
    return next.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", code: "Enter", keyCode: 13, shiftKey: true, bubbles: true, cancelable: true}));
  }

  get book() {  // the notebook that it stands in, where the page lets its cells be run
    const app = window.jupyterapp, book = app?.shell.currentWidget?.content, cells = book?.widgets ?? [];
    const shown = k => [...cells[k].node.querySelectorAll(FIGURES)].filter(f => f.scene);
    return {cells, shown, here: cells.findIndex(({node}) => node.contains(this)), async run(k) {
      if (cells[k].model.type !== "code") return;
      book.activeCellIndex = k;
      await app.commands.execute("notebook:run-cell");
      await some(() => shown(k)[0] || !cells[k].node.querySelector(FIGURES));
    }};
  }

  get revives() { return window.jupyterapp && this.dataset.model && !this.model; }

  async alone(act) {  // one at a time: what a second runs once more would take the figure that the first shows
    if (HAND.walks) return;
    HAND.walks = true;
    try { await act(this.book); } finally { HAND.walks = false; }
  }

  arrive(found, wide) {
    this.project(false);
    found.scrollIntoView({block: "start"});
    wide ? found.project(true) : found.stage.focus({preventScroll: true});
  }

  // From the last step to the next figure of the notebook, whose cell is run; from the first to the one before. From a guess that
  // is played back to its question.
  onward(by) { if (this.played) this.plays(null); else this.alone(async ({cells, shown, here, run}) => {
    if (here < 0) return by > 0 && this.remark.replaceChildren(END);
    if (by > 0 && this.asks) {  // a question that is passed by keeps nothing locked
      await some(() => this.model, 20);
      HUB.press(this.dataset.model, "skip");
      await some(() => !HUB.due.get(this.dataset.model));
    }
    const beside = shown(here);
    let found = beside[beside.indexOf(this) + by];
    for (let k = here + by; cells[k] && !found; k += by) {
      if (by > 0) await run(k);
      found = shown(k).at(by > 0 ? 0 : -1);
    }
    if (!found || !this.dialog.open) return;
    this.arrive(found, true);
    if (by < 0) found.go(Infinity);
  }); }

  // Python has stopped, or was never there: the cells down to this one are run, and one is back where one was.
  revive() { this.alone(async ({shown, here, run}) => {
    if (here < 0) return;
    const {frame, dialog: {open}} = this, at = shown(here).indexOf(this);
    this.remark.replaceChildren("All cells down to here run.");
    for (let k = 0; k <= here; k++) await run(k);
    const found = shown(here)[at];
    if (!found) return;
    this.arrive(found, open);
    if (!found.asks) found.go(frame);
  }); }
};
