// Brings a scene to life: steps, keys, mouse and touch, themes, projector mode. What a state shows is in state.js.
(() => {
  const NAME = "@NAME@", CSS = "@CSS@", FORMAT = "@FORMAT@";
  if (customElements.get(NAME)) return;

  const fill = (t, args) => typeof t === "string" ? t : t.map(part => typeof part === "string" ? part : args[part]).join("");
  const spoken = (says, on) => says.by ? says.by[on.find(t => t in says.by) ?? ""] : says;
  // An axis, an index, a shape, a short list or rule stays in one line, and a short last word is not alone in its line.
  const BOUND = [/[i-p] · dim \d/, /[\w.]{1,12} [\/\x40·] [\w.]{1,12}/, /(?:\([^()]{1,24}\)|[\p{L}\p{M}\w.]*)[[(][\d,. -]{1,24}[\])]/u, /d[\w()%]+ = [^:.]{1,30}(?:: \S{1,7}$|(?=:))/, /\S+ \S{1,7}$/];
  const whole = new RegExp(`(${BOUND.map(bound => bound.source).join("|")})`, "u");
  const phrase = (says, pin) => [...pin ? [make("span.pin", {}, "pinned ")] : [], ...says.split(whole).flatMap((part, k) => k % 2 ? make("span.whole", {}, part) : apart(part))];
  // Where a page lets only a policy of its own call text markup: this is Python's, and escaped there. Barred, the pictures stay.
  let policy, parsed = text => new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "image/svg+xml").documentElement;
  for (const name of ["rustyflow", NAME]) try { policy ??= window.trustedTypes?.createPolicy(name, {createHTML: text => text}); } catch {}
  try { parsed("<p/>"); } catch { return; }
  // Hebrew and Arabic names are apart: what stands beside them keeps its order.
  const RTL = /(@RTL@)/gu, apart = child => child.split?.(RTL).map((part, k) => k % 2 ? make("bdi", {}, [part]) : part) ?? child;
  const css = place => place.replace(/([\d.e+-]+) ([\d.e+-]+)/, "$1px,$2px");
  const on = (one, ...how) => one.addEventListener(...how);
  const make = (tag, attributes = {}, ...children) => {
    const [name, ...classes] = tag.split("."), element = document.createElement(name);
    element.classList.add(...classes);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.flatMap(apart));
    return element;
  };
  const still = matchMedia("(prefers-reduced-motion: reduce)"), night = matchMedia("(prefers-color-scheme: dark)");
  const DARK = "black screen", KEYS = [["← → ↑ ↓", "move from cell to cell"], ["Page Down, Page Up", "next step, previous step"], ["Enter", "keep the cell lit; again: open what made its number, or let go"],
    ["Space", "play, or pause"], ["Home, End", "first step, last step"], ["f", "fill the screen"], [". or b", DARK], ["Esc", "let go, or leave"]];

  // Keys that are for what the figure stands in: to run the cell, to save. Those that edit text are not: here they copy a sentence.
  const passes = e => e.key === "Enter" ? e.ctrlKey || e.metaKey || e.altKey || e.shiftKey : (e.ctrlKey || e.metaKey) && /^[^acvxyz]$/i.test(e.key);

  const inflated = bytes => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();

  const unbased = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

  "@HUB@";
  "@CONTROLS@";
  "@MODEL@";
  "@QUESTION@";
  "@STATE@"; "@STACK@"; "@UNFOLD@"; "@FLIGHT@"; "@SEARCH@"; "@INNER@"; "@NOTEBOOK@";
  "@MAPS@";

  class Figure extends Nesting(Searching(Walking(Asked(Bound(Steered(Flying(Opening(Stacked(Shown(HTMLElement)))))))))) {
    frame = 0; fine = false; on = null; pinned = null; spot = null; hover = null; rooms = []; flips = [];

    connectedCallback() {
      if (this.shadowRoot) { this.watch(); return this.join(); }
      if (this.adopt()) return;
      this.join();
      if (this.shadowRoot) return;
      const packed = this.querySelector("script");
      if (!packed) {  // the page is still being read
        addEventListener("DOMContentLoaded", () => this.isConnected && !this.shadowRoot && this.connectedCallback(), {once: true});
        return;
      }
      inflated(unbased(packed.textContent)).then(scene => this.isConnected && !this.shadowRoot && this.load(scene, JSON.parse(this.dataset.keep ?? "{}")));
    }

    disconnectedCallback() {
      this.play(false);
      this.quit();
      if (!this.shadowRoot) return;
      this.project(false);
      this.eyes.disconnect();
      this.sizes.disconnect();
      night.removeEventListener("change", this.theme);
      removeEventListener("keydown", this.guard, true);
    }

    // Shows a scene, the first or another one, in the state of `keep`, or as it was, where this scene has that; the focus stays
    // where it is. A scene of another format changes nothing: the still picture, or the scene before, stays.
    load(scene, keep) {
      if (scene.format !== FORMAT) return;
      const first = !this.shadowRoot;
      this.draw(scene);
      this.scene = scene;
      if (first) this.build();
      const focused = this.active;
      this.furnish(scene);
      this.inquire(scene.asks); this.unfold(scene);
      if (focused && !focused.checkVisibility()) this.stage.focus();  // it went with the scene before
      this.take(keep ?? this.state, keep ? null : this.spot);
      this.fit();
      if (first && this.isConnected) { this.watch(); this.greet(); }
    }

    // A state as far as the scene has it: the last frame for one beyond, no pin for one that is gone, the frame's own side.
    take({frame = 0, pinned = "", side = null}, spot = null) {
      const known = id => this.links.has(id) ? id : null;
      this.frame = Math.max(0, Math.min(this.scene.frames.length - 1, Math.trunc(frame) || 0));
      this.on = side !== null && [...side].every(t => this.toggles.includes(t)) ? this.toggles.filter(t => side.includes(t)) : null;
      Object.assign(this, {pinned: known(pinned), spot: known(spot), hover: null});
      this.told = JSON.stringify({frame, pinned: pinned ?? "", side});
      this.render();
    }

    draw(scene) {
      const svg = this.svg = document.importNode(parsed(scene.drawing), true);
      this.shapes = new Map([...svg.querySelectorAll("[id]")].map(element => [element.id, element]));
      this.links = new Map(scene.links.flatMap(family => family.m ? mapped(scene, family) : Object.entries(family.l).map(([id, link]) => [id, {family, lights: link[0], args: family.w[link[1]]}])));
      for (const id of this.links.keys()) this.shapes.get(id).dataset.link = "";
      this.original = new Map();  // of every class list and attribute a state has changed
      this.held = new Map();
      this.asides = [...svg.querySelectorAll(".aside")];
    }

    furnish(scene) {  // what belongs to the scene, of what build has made
      this.stage.replaceChildren(this.svg);
      this.heading.replaceChildren(...apart(scene.title)); this.about.replaceChildren(...apart(scene.note ?? ""));
      this.stage.ariaLabel = this.dialog.ariaLabel = scene.title;
      const fine = scene.frames.some(f => f.d), toggles = Object.entries(scene.toggles), inner = Object.entries(scene.inner ?? {}), letters = Object.keys(scene.asks?.choices ?? {});
      const labels = JSON.stringify([toggles, fine, scene.search, inner.map(([key]) => key), letters, scene.asks?.open]);
      this.count.style.minWidth = 2 * String(scene.frames.length).length + 3 + "ch";
      this.more.hidden = !fine;
      this.sought?.remove();
      this.detail(fine && this.fine);
      for (const part of [this.steps, this.scrub, this.count]) part.style.display = scene.frames.length < 2 ? "none" : "";
      // They keep the page still while sentences change: the tallest is one of the longest.
      const links = [...this.links.values()].map(l => [l.family.s, l.args, l, true]), frames = scene.frames.map(f => [f.v ?? f.s, [], this.links.get(f.l)]);
      const longest = [...frames, ...links].flatMap(([s, args, link, pin]) => Object.values(s.by ?? [s]).map(t => [brief(fill(t, args), link), pin])).sort(([a], [b]) => b.length - a.length).slice(0, 32);
      for (const room of this.rooms) room.remove();
      this.rooms = longest.map(said => make("p", {"aria-hidden": "true"}, ...phrase(...said)));
      this.says.before(...this.rooms);
      if (labels !== this.labels) {
        for (const b of this.flips) b.remove();
        this.flips = toggles.map(([t, label]) => this.button(`${label} (${t})`, this.face(label, t), () => this.flip(t)));
        this.tools.prepend(...this.flips);
        const asked = letters.length ? [...scene.asks.open ? [[letters.join(" "), "choose; Enter takes it"]] : [], ["v", "the votes of a class"], ["Shift", "and a letter: play it; Esc goes back"]] : [];
        const keys = [...asked, ...KEYS.map(([k, what]) => [letters.length && what === DARK ? "." : k, what]), ...fine ? [["d", "details, or back"]] : [], ...scene.search ? [["/", "search"]] : [], ...toggles.map(([t, label]) => [t, label + ", or back"]), ...inner.map(([key, {label}]) => [key, `the ${label} of a step; Esc comes back`])];
        this.sheet.replaceChildren(make("dl", {}, ...keys.flatMap(([k, what]) => [make("dt", {}, k), make("dd", {}, what)])));
      }
      this.toggles = toggles.map(([t]) => t); this.labels = labels;
      this.door();
      this.measure("--whole", Math.max(scene.w, 860));
    }

    get reach() {  // how far to the right of the drawing there is something to see
      const at = this.svg.getBoundingClientRect(), marks = [...this.svg.querySelectorAll("text,rect,path")].filter(mark => this.seen(mark));
      return Math.max(0, ...marks.map(mark => mark.getBoundingClientRect().right - at.left)) * this.scene.w / at.width;
    }

    face(word, key) { return [make("span.word", {}, word + " "), make("kbd", {}, key)]; }

    button(label, face, act) {
      const b = make("button", {type: "button", tabindex: -1, "aria-label": label, title: label}, ...[face].flat());
      on(b, "click", () => { act(); this.stage.focus(); });
      return b;
    }

    build() {  // once: scenes come and go in it
      this.stage = make("div.stage", {tabindex: 0, role: "application", "aria-roledescription": "figure", "aria-describedby": "says"});
      this.controls = make("div.controls");  // for an owner's inputs
      this.remark = make("p.remark", {role: "status"});  // what the owner says
      this.owner = make("div.owner", {}, this.controls, this.remark);
      this.back = this.button("previous step (Page Up)", "\u25c0\ufe0e", () => this.step(-1));
      this.next = this.button("next step (Page Down)", "\u25b6\ufe0e", () => this.step(1));
      this.more = this.button("details (d)", this.face("details", "d"), () => { this.detail(!this.fine); this.render(); });
      this.steps = make("span.steps", {}, this.back, this.next);
      this.scrub = make("input", {type: "range", min: 0, step: 1, tabindex: -1, "aria-label": "step"});
      on(this.scrub, "input", () => { this.on = null; this.go(this.stops[+this.scrub.value]); });
      on(this.scrub, "change", () => this.stage.focus());
      this.count = make("span.count");
      this.says = make("p", {id: "says", "aria-live": "polite", "aria-atomic": "true"});
      this.notes = make("div.notes", {"aria-hidden": "true"});
      this.tools = make("span.tools", {}, this.more, this.button("fill the screen (f)", this.face("", "f"), () => this.project()), this.button("keys (?)", "?", () => this.help()));
      this.sheet = make("div.help", {hidden: ""});
      this.black = make("div.blank", {hidden: ""});
      this.heading = make("span.title"); this.about = make("span.about");
      const head = make("div.head", {}, make("p", {"aria-hidden": "true"}, this.heading, " ", this.about), make("div.says", {}, this.says));
      const bar = make("div.bar", {}, this.steps, this.scrub, this.count, this.tools, this.notes, this.sheet);
      this.panel = make("div.asks");  // for a question
      this.body = make("div.figure", {tabindex: -1}, this.panel, head, this.stage, this.owner, bar, this.black);
      this.dialog = make("dialog");
      this.attachShadow({mode: "open"}).append(make("style", {}, CSS), this.body, this.dialog);

      const linked = e => {  // a finger may miss by a little
        const by = e.pointerType === "touch" ? [0, -10, 10] : [], at = (x, y) => this.shadowRoot.elementFromPoint(e.clientX + x, e.clientY + y);
        return [e.target, ...by.flatMap(x => by.map(y => at(x, y)))].map(one => one?.closest("[data-link]")?.id).find(Boolean) ?? null;
      };
      on(this.stage, "pointermove", e => {  // a mouse at rest points at nothing, whatever moves under it
        const here = e.screenX + " " + e.screenY;
        if (e.pointerType !== "touch" && here !== this.mouse) this.point(linked(e));
        this.mouse = here;
      });
      on(this.stage, "pointerdown", e => HUB.grab?.(this, e, linked(e)));
      on(this.stage, "pointerleave", () => this.point(null));
      on(this.stage, "click", e => {
        if (!this.asks?.open || e.detail < 2) this.into(linked(e)) || this.pin(linked(e));  // a double click asks only once
        this.stage.focus();
      });
      on(this.black, "click", () => this.blank(false));
      // Pressed anywhere but in a field, its body has the focus, and after a click the picture; moved at once, no text could be marked.
      on(this, "click", e => {
        if (e.composedPath()[0] === this || this.active === this.body) this.stage.focus({preventScroll: true});
      });
      on(this.shadowRoot, "keydown", e => this.key(e));
      on(this.dialog, "close", () => this.dialog.open || this.settle());
      on(this.dialog, "cancel", e => { e.preventDefault(); this.project(false); });
      this.grip = e => { if (this.dialog.open && !e.composedPath().includes(this)) this.key(e); };
      this.guard = e => {  // JupyterLab, which is asked after us, leaves keys alone that come from what has this attribute
        if (!passes(e) || this.after(e)) return;
        this.removeAttribute("data-lm-suppress-shortcuts");
        setTimeout(() => this.setAttribute("data-lm-suppress-shortcuts", "true"));
      };
      on(this.shadowRoot, "focusin", e => { this.focused = e.target; addEventListener("keydown", this.guard, true); });
      on(this.shadowRoot, "focusout", () => queueMicrotask(() => {  // if it left while the figure stays
        if (this.isConnected && !this.active) { this.focused = null; removeEventListener("keydown", this.guard, true); }
      }));
      this.theme = () => this.setAttribute("theme", this.dark() ? "dark" : "light");
    }

    watch() {
      this.theme();
      this.eyes = new MutationObserver(this.theme);
      this.eyes.observe(document.body, {attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme"]});
      this.sizes = new ResizeObserver(() => this.fit());
      for (const one of [this.dialog, this.body]) this.sizes.observe(one);
      on(night, "change", this.theme);
    }

    dark() {
      const {jpThemeLight: lab, vscodeThemeKind: code, theme} = document.body.dataset;  // the last one is marimo's
      return lab ? lab === "false" : code ? !code.includes("light") : theme ? theme === "dark" : night.matches;
    }

    // What an owner keeps: the step, the shape that is pinned or "", and the toggles that are on, or null where the step says it.
    get state() { return {frame: this.frame, pinned: this.pinned ?? "", side: this.on?.join("") ?? null}; }

    tell() {
      if (this.outer.length) return;  // what is seen of another one
      const state = this.state, told = JSON.stringify(state);
      if (told === this.told) return;
      this.told = told;
      this.dispatchEvent(new CustomEvent("rustyflow:state", {detail: state}));
    }

    // What a student or a test can ask for.
    show({frame = this.frame, link = null, toggles = null} = {}, moving = false) {
      Object.assign(this, {frame, pinned: link, hover: null, spot: null, on: toggles});
      this.render(moving);
    }

    go(frame) {
      const to = Math.max(0, Math.min(this.scene.frames.length - 1, frame)), told = this.scene.frames[to].t;
      this.show({frame: to, toggles: this.on?.some(t => !told.includes(t)) ? this.on : null}, true);  // what was turned on stays, until it is told
      this.follow(this.shapes.get(this.scene.frames[to].l) ?? this.svg.querySelector("g.lit"));
      this.fly();
    }

    step(by) {  // on, or back, to where it shows or says something else
      if (this.remark.textContent === END) this.remark.replaceChildren();
      const face = () => { const {sets, sentence} = this.resolve(); return [...sets.values(), sentence].join(); }, before = face();
      let at = this.stops.filter(k => k < this.frame + (by > 0)).length - (by > 0);
      if (this.dialog.open && !(at + by in this.stops)) return void this.onward(by);
      do this.go(this.stops[at += by] ?? this.frame); while (face() === before && at in this.stops);
    }

    detail(on) {  // with the steps within steps, or without
      this.fine = on;
      this.stops = this.scene.frames.flatMap((f, k) => f.d && !on ? [] : [k]);
      this.scrub.max = this.stops.length - 1;
      const parts = Math.max(1, this.stops.length - 1);  // of more than 24 steps every second has a tick, or every third
      this.scrub.style.setProperty("--parts", parts / Math.ceil(parts / 24));
      this.more.ariaPressed = on;
    }

    follow(shape) {  // in a drawing larger than the page
      const {stage} = this;
      if (!shape || stage.scrollWidth <= stage.clientWidth && stage.scrollHeight <= stage.clientHeight) return;
      for (const flight of shape.getAnimations()) flight.finish();  // to where it will be, not to where it is now
      const box = shape.getBoundingClientRect(), room = stage.getBoundingClientRect();
      const off = (low, high, from, to) => low < from || high > to ? (low + high - from - to) / 2 : 0;
      stage.scrollLeft += off(box.left, box.right, room.left, room.right);
      if (this.dialog.open) stage.scrollTop += off(box.top, box.bottom, room.top, room.bottom);
    }

    get active() { return this.shadowRoot.activeElement; }

    measure(name, size) { this.body.style.setProperty(name, size + "px"); }

    get tall() { return spoken(this.scene.h, [...this.within ?? [], ...this.sides ?? []]); }  // that of what is shown

    grow() {
      const {stage, high, tall, side} = this, before = stage.offsetHeight;
      if (high === tall && side === this.sides.join() && !this.dialog.open && !this.squeezed) return;
      this.high = tall; this.side = this.sides.join();
      this.fit();
      if (high && high !== tall && !still.matches && !this.dialog.open) stage.animate([{height: before + "px"}, {height: stage.offsetHeight + "px"}], {duration: 240, easing: EASE});
    }

    fit() {  // on a projector what would be too small to read scrolls; with the page zoomed in, no more than without
      const {scene: {w}, tall: h} = this, edge = this.dialog.open && h > 20 ? 4 : 0, large = Math.min(innerWidth / 1280, this.body.clientHeight / 720), zoom = innerWidth < 620 ? 1 : Math.min(1, large);
      const told = this.scene.least ?? 1.1, least = this.pinned ?? this.spot ?? this.scene.frames[this.frame].l ? told : Math.max(told, 1.1);
      const across = this.stack();
      this.measure("--wide", across || w); this.measure("--least", across || w);  // type is never smaller than it was drawn: what is wider scrolls
      if (across) return;
      const {stage, body, panel} = this, cut = (by = 1) => Math.min(stage.clientWidth / w, stage.clientHeight / (h - 2 * edge)) < least * zoom * by;
      body.classList.remove("snug");
      body.classList.toggle("snug", this.dialog.open && !!this.asks && (cut(Math.max(1, large)) || panel.scrollHeight > panel.clientHeight + 1));  // a question has less room, so that its picture is whole
      body.classList.toggle("zoomed", this.dialog.open && !this.voting && cut(this.asks ? .85 : 1));  // while a class is counted its picture may be small
      this.svg.setAttribute("viewBox", `0 ${edge} ${w} ${h - 2 * edge}`);  // room for the taller side; on a projector without its margins
      body.style.setProperty("--zoom", zoom); this.measure("--tall", h);
    }

    flip(toggle) {
      const on = this.on ?? this.scene.frames[this.frame].t;
      this.on = this.toggles.filter(t => on.includes(t) !== (t === toggle));
      this.render(true);
    }

    point(id) { if (id !== this.hover) { this.hover = id; this.render(); } }

    pin(id) {
      const button = this.pressed("spot", id);
      if (button) return button.click();
      if (this.pointed(id)) return;
      const page = id && this.querySelector(`a[data-for="${id}"]`);
      if (page) return page.click();  // the page's own link: JupyterLab opens the notebook
      this.pinned = id && id !== this.pinned ? id : null;
      this.spot = id;
      this.render();
      if (id && !this.seen(this.shapes.get(id))) { this.spot = null; this.render(); }  // it went with what was open
      if (this.pinned) this.fly();
    }

    move(dx, dy) {
      if (dx && HUB.shift?.(this, dx)) return;
      const seen = id => this.links.has(id) && this.seen(this.shapes.get(id)), rows = this.scene.paths.flat().map(row => row.split(" "));
      const line = rows.flat(), here = this.pinned ?? this.spot ?? this.scene.frames[this.frame].l, r = rows.findIndex(row => row.includes(here));
      let at = line.indexOf(here), to = here, q = r;
      if (at < 0 || !seen(here)) to = line.find(seen);
      else if (dx) { do at += dx; while (line[at] && !seen(line[at])); to = line[at] ?? here; }
      else {
        do q += dy; while (rows[q] && !rows[q].some(seen));
        const row = (rows[q] ?? rows[r]).filter(seen);
        to = row[Math.min(rows[r].filter(seen).indexOf(here), row.length - 1)];
      }
      if (!to) return;
      if (this.pinned) this.pinned = to;
      this.spot = to; this.hover = null;
      this.render();
      this.follow(this.shapes.get(to));
    }

    play(on = !this.timer) {
      clearTimeout(this.timer); this.timer = null;
      if (!on) return;
      const over = () => this.frame === this.scene.frames.length - 1;
      if (over()) this.go(0);
      const read = () => {  // as long as it takes to read
        this.timer = over() ? null : setTimeout(() => { this.step(1); read(); }, 800 + 300 * this.says.textContent.split(/\s+/).length);
      };
      read();
    }

    project(on = !this.dialog.open) {
      if (on === this.dialog.open) return;
      if (!on) { this.dialog.close(); return this.settle(); }
      if (this.controls.matches(":has(>*):not(:has(button,.range,>:nth-child(4),.text~.text~.text))")) this.count.after(this.controls, this.remark);  // few of them: the picture has their room
      this.lay(this.getBoundingClientRect());
      this.dialog.append(this.body);
      this.dialog.showModal();
      this.render(); this.follow(this.shapes.get(this.cell));
      this.look();
      document.addEventListener("keydown", this.grip, true);
      this.stage.focus();
    }

    // A frame may be far taller than what is seen of it: in VS Code one has all outputs. There the figure takes what is seen.
    lay({top, height}) {
      if (parent === window) return;
      this.body.style.top = top + "px";
      this.dialog.style.setProperty("--h", height + "px");
      this.fit();
    }

    look() {
      if (parent === window || !this.dialog.open) return;
      new IntersectionObserver(([{intersectionRect: seen}], eyes) => {
        eyes.disconnect();
        if (this.dialog.open && seen.height) this.lay(seen);
        setTimeout(() => this.look(), 300);  // it may be scrolled
      }).observe(this.dialog);
    }

    settle() {  // after projector mode, however it ended
      if (this.body.parentNode !== this.dialog) return;
      document.removeEventListener("keydown", this.grip, true);
      this.owner.append(this.controls, this.remark);
      this.shadowRoot.append(this.body, this.dialog);
      this.render(); this.fit();
      this.body.style.top = "";
      this.blank(false);
      this.stage.focus();
    }

    help(on = this.sheet.hidden) { this.sheet.hidden = !on; }
    blank(on = this.black.hidden) { this.black.hidden = !on; }

    leave() {
      const field = this.active;
      if (this.dialog.open && this.controls.contains(field) && field.localName !== "button") return this.stage.focus();
      if (!this.sheet.hidden) return this.help(false);
      if (this.pinned) return this.pin(null);
      if (this.outer.length) return this.surface();
      if (this.dialog.open) return this.project(false);
      this.active?.blur();
      this.parentElement?.closest("[tabindex]")?.focus();
    }

    key(e) {
      const projecting = this.dialog.open;
      if (projecting && e.key === "F5") return e.preventDefault();
      if (e.ctrlKey || e.metaKey || e.altKey || passes(e)) return;
      if (this.controls.contains(e.target) && e.key !== "Escape" || this.holds(e)) return;
      const dark = () => this.blank(), acts = {
        ArrowLeft: () => this.move(-1, 0), ArrowRight: () => this.move(1, 0), ArrowUp: () => this.move(0, -1), ArrowDown: () => this.move(0, 1),
        PageDown: () => this.step(1), PageUp: () => this.step(-1), Home: () => this.go(0), End: () => this.go(Infinity),
        Enter: () => this.pin(this.spot ?? this.hover ?? this.scene.frames[this.frame].l), " ": () => this.play(), f: () => this.project(),
        ".": dark, ...this.asks ? {} : {b: dark}, "?": () => this.help(), Escape: () => this.leave(),
        ...this.revives ? {r: () => this.revive()} : {}, ...this.more.hidden ? {} : {d: () => this.more.click()},
        ...this.scene.search ? {"/": () => this.seek()} : {}, ...this.doors,
      };
      const answer = this.answers(e) ?? (this.unfolds(e) || null), button = this.pressed("key", e.key);
      const act = answer ?? acts[e.key] ?? (button ? () => button.click() : this.toggles.includes(e.key) ? () => this.flip(e.key) : projecting && e.key === "Tab" ? () => this.stage.focus() : null);
      if (this.flights.length) this.land();
      if (!act || e.target === this.scrub && e.key.startsWith("Arrow")) return;
      e.preventDefault(); e.stopPropagation();
      if (e.key !== " ") this.play(false);
      if (act !== dark) this.blank(false);  // nothing moves on unseen
      act();
    }
  }
  customElements.define(NAME, Figure);
})();
