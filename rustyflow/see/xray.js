/** X-ray: Alt+X over an expression in a cell floats its figure under the line, Enter keeps it as an output of the cell;
 * one hidden model listens in the page. */

const ours = Symbol.for("rustyflow.xray");

const WAITS = "No answer from Python yet. If it is busy, this is drawn when it is done.";
const GONE = "The Python that drew here is gone. Run %load_ext rustyflow once more, and Alt+X draws again.";

/** The editor that has the keyboard, and its text and selection as CodeMirror keeps them. */
function editing() {
  const content = document.activeElement?.closest?.(".cm-content");
  const view = content?.cmTile?.view ?? content?.cmView?.view ?? content?.cmView?.rootView?.view;
  return view ? { view, at: view.state.selection.main } : null;
}

/** The notebook's model of the cell that an editor is of, by its place among the cells or else its text; null elsewhere. */
function cellOf(manager, view) {
  const cells = manager?.context?.model?.cells, node = view.dom.closest(".jp-Cell"), text = view.state.doc.toString();
  if (!cells || !node) return null;
  const place = node.dataset.windowedListIndex ?? [...node.closest(".jp-Notebook").querySelectorAll(".jp-Cell")].indexOf(node);
  const all = Array.from({ length: cells.length }, (_, k) => cells.get(k));
  const same = cell => cell?.sharedModel.getSource().replace(/\r\n?/g, "\n") === text;  // an editor has its own line ends
  const cell = same(all[place]) ? all[place] : all.find(same);
  return cell?.outputs ? cell : null;
}

/** A panel under a line, or over it where there is more room. */
function panel({ left, top, bottom }) {
  const box = document.createElement("div");
  box.className = "rustyflow-xray";
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-label", "X-ray");
  const wide = Math.min(900, innerWidth - 16), under = innerHeight - bottom - 16, over = top - 16;
  Object.assign(box.style, {
    position: "fixed", zIndex: 10000, width: `${wide}px`, boxSizing: "border-box", overflow: "auto", padding: "8px 12px",
    background: "var(--jp-layout-color1)", color: "var(--jp-ui-font-color1)", borderRadius: "8px",
    border: "1px solid var(--jp-border-color1)", boxShadow: "0 10px 40px rgb(0 0 0/.28)",
    left: `${Math.max(8, Math.min(left - 40, innerWidth - wide - 8))}px`,
    ...(under >= Math.min(over, 480) ? { top: `${bottom + 8}px`, maxHeight: `${under}px` }
      : { bottom: `${innerHeight - top + 8}px`, maxHeight: `${over}px` }),
  });
  return box;
}

/** The expressions that hold the caret, the shown one marked. */
function trail(parts, level) {
  const row = document.createElement("div");
  row.style.cssText = "display:flex;flex-wrap:wrap;gap:6px;margin:0 0 6px;font:13px var(--jp-code-font-family)";
  parts.forEach((text, k) => {
    const chip = document.createElement("span");
    chip.textContent = text;
    chip.style.cssText = "border:1px solid var(--jp-border-color1);border-radius:10px;padding:2px 8px";
    if (k === level) {
      chip.style.fontWeight = "700";
      chip.style.borderColor = "var(--jp-ui-font-color1)";
      chip.setAttribute("aria-current", "true");
    }
    row.append(chip);
  });
  return row;
}

export default {
  initialize({ model }) {
    let box = null, asked = null, asks = 0, level = 0, shown = null, late;
    const clear = () => {
      clearTimeout(late);
      box?.remove();
      box = shown = null;
    };
    const shut = () => {  // and what is still to be answered is asked no more
      clear();
      asked = null;
    };
    const outside = event => asked && !box?.contains(event.target) && shut();
    const heed = event => {
      if (event.key === "Escape" && asked) {
        const { view } = asked.here, seen = box;
        shut();
        if (!seen) return;  // nothing of it is to be seen yet: the key is the page's
        event.preventDefault();
        event.stopImmediatePropagation();
        return view.focus();
      }
      const bare = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
      if (event.key === "Enter" && bare && shown && asked.here.view.dom.contains(event.target)) {
        const { view } = asked.here, cell = view.state.doc.toString() === asked.code && cellOf(model.widget_manager, view);
        if (!cell) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        cell.outputs.add({ output_type: "display_data", data: { "text/html": shown.html, "text/plain": shown.plain }, metadata: {} });
        shut();
        return view.focus();
      }
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyX") return;
      const here = editing() ?? (box && asked.here);  // the key's place: on a Mac Option+X types a sign
      if (!here) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const { view } = here, at = view.state.selection.main, code = view.state.doc.toString();
      const again = asked?.code === code && asked.from === at.from && asked.to === at.to;
      const step = event.shiftKey ? -1 : 1;
      level = again ? Math.max(0, level + step) : 0;
      const place = view.coordsAtPos(at.to) ?? view.dom.getBoundingClientRect();
      asked = { code, from: at.from, to: at.to, here: { view }, place };
      clearTimeout(late);
      late = setTimeout(draw, 700, { parts: [], text: WAITS });
      try {
        model.send({ code, from: at.from, to: at.to, level, ask: ++asks });
      } catch {  // the kernel that listened is gone
        draw({ parts: [], text: GONE });
      }
    };
    const hear = said => {
      if (!asked || said.ask !== asks) return;
      const { view } = asked.here, here = [view.dom, box].some(part => part?.contains(document.activeElement));
      if (!here || view.state.doc.toString() !== asked.code) return shut();  // it was left, or written on
      level = said.level;
      draw(said);
    };
    const draw = said => {
      clear();
      box = panel(asked.place);
      if (said.parts.length) box.append(trail(said.parts, said.level));
      shown = said.html ? said : null;
      if (said.html) box.append(document.createRange().createContextualFragment(said.html));
      else box.append(Object.assign(document.createElement("p"), { textContent: said.text }));
      const keeps = shown && cellOf(model.widget_manager, asked.here.view) ? "Enter keeps it · " : "";
      const keys = Object.assign(document.createElement("div"), { textContent: `Alt+X outward · Alt+Shift+X inward · ${keeps}Esc` });
      keys.style.cssText = "margin-top:4px;font-size:12px;color:var(--jp-ui-font-color2)";
      box.append(keys);
      document.body.append(box);
    };
    globalThis[ours]?.();  // the listener of a kernel that is gone
    const leave = () => {
      document.removeEventListener("keydown", heed, true);
      document.removeEventListener("pointerdown", outside, true);
      shut();
    };
    globalThis[ours] = leave;
    document.addEventListener("keydown", heed, true);
    document.addEventListener("pointerdown", outside, true);
    model.on("msg:custom", hear);
    return leave;
  },
};
