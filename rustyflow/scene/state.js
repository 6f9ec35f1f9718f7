// A scene in a state, put on the page; player.js puts these lines in its own place for them. Classes, texts and attributes
// come from Python: what a frame, a link and the toggles ask for is put together here, in the order in which Scene.state
// in scene.py does it, and the holes of templates are filled.
const brief = (sentence, link) => (link?.family.i ?? []).reduce((said, ids) => {  // without a formula that stands in the picture
  const formula = ids.map(id => fill(link.family.a.find(([at, what]) => at === id && what === "text")[2], link.args)).join("");
  return formula ? said.replace(": " + formula, "") : said;
}, sentence);
const Shown = Base => class extends Base {
  resolve() {
    const {scene} = this, frame = scene.frames[this.frame], on = this.sides = this.on ?? frame.t, classes = new Map(), sets = new Map();
    const dress = change => {
      for (const [cls, ids] of Object.entries(change)) for (const id of ids.split(" ")) {
        if (!id) continue;
        if (!classes.has(id)) classes.set(id, this.kept(id, "class").split(" ").filter(Boolean));
        const worn = classes.get(id);
        if (cls[0] === "-") classes.set(id, worn.filter(c => c !== cls.slice(1)));
        else if (!worn.includes(cls)) worn.push(cls);
      }
    };
    const set = (list, args) => { for (const [id, attribute, value] of list) sets.set(id + " " + attribute, [id, attribute, fill(value, args)]); };
    this.trace();
    const own = frame.t.length === on.length && frame.t.every(t => on.includes(t));  // turned over, it has all of that side
    for (const t of on) if (t in (scene.turned ?? {})) { const look = scene.looks[scene.turned[t]]; dress(look.c); set(look.a, []); }
    for (const run of own ? frame.k : []) for (let [k, last] = run.length ? run : [run, run]; k <= last; k++) { dress(scene.looks[k].c); set(scene.looks[k].a, []); }
    const opens = id => this.links.get(id)?.family.o ?? null, opened = opens(this.pinned ?? frame.l);
    this.within = opened === null ? [] : [this.pinned ?? frame.l, "opened"];
    const pointed = this.hover ?? this.spot, inside = pointed && opened !== null && opens(pointed) === opened;
    const asked = this.pinned && (!inside || this.last) ? this.pinned : pointed, link = this.links.get(asked ?? frame.l), told = this.links.get(this.cell) ?? link;
    let sentence = fill(spoken(frame.s, on), []);
    if (opened !== null) { dress(scene.looks[opened].c); set(scene.looks[opened].a, []); }
    if (link) {
      dress(link.family.c); dress(this.last ? this.lights : {lit: spoken(link.lights, on)}); set(link.family.a, link.args);
      for (const line of link.family.i ?? []) cut(line.map(id => sets.get(id + " text")), "@LINE@");
      if (asked) sentence = this.numbered(asked) + fill(spoken(told.family.s, asked === this.pinned ? ["pinned", ...on] : on), told.args);
    }
    const pin = asked !== null && asked === this.pinned && told === link;
    for (const [id, list] of classes) sets.set(id + " class", [id, "class", list.join(" ")]);
    return {on, sets, sentence, pin, seen: !asked && frame.v || brief(sentence, link)};
  }

  numbered(id) {  // the number of a cell that is a shade for now
    const number = this.shapes.get(id).querySelector(":scope>[class^=shade]~text");
    return number ? number.textContent + ": " : "";
  }

  kept(id, attribute) {
    const key = id + " " + attribute;
    if (!this.original.has(key)) {
      const element = this.shapes.get(id);
      this.original.set(key, (attribute === "text" ? element.textContent.replace(/[\u2068\u2069]/g, "") : element.getAttribute(attribute)) ?? "");
    }
    return this.original.get(key);
  }

  put(element, attribute, value) {
    if (attribute === "text") element.textContent = value.replace(RTL, "\u2068$&\u2069");
    else if (value || attribute !== "class") element.setAttribute(attribute, value);
    else element.removeAttribute("class");
  }

  render(moving = false) {
    const {on, sets, sentence: told, pin, seen: shown} = this.resolve(), sentence = this.said(told), heard = this.heard || (shown !== told && sentence === told ? (pin ? "pinned " : "") + told : ""), last = this.scene.frames.length - 1, {held} = this;
    for (const [id, attribute] of sets.values()) this.kept(id, attribute);
    const was = [...held].map(([key, [id, attribute]]) => [key, [id, attribute, this.original.get(key)]]);
    for (const [key, [id, attribute, value]] of new Map([...was, ...sets])) {
      const before = held.get(key)?.[2] ?? this.original.get(key), element = this.shapes.get(id);
      if (before === value) continue;
      this.put(element, attribute, value);
      if (moving && attribute === "transform" && !still.matches)
        element.animate([{transform: css(before)}, {transform: css(value)}], {duration: TRAVEL, easing: EASE});
    }
    this.held = sets;
    this.nail?.removeAttribute("data-pin");
    (this.nail = this.shapes.get(this.pinned))?.setAttribute("data-pin", "");
    for (const t of this.toggles) this.svg.classList.toggle("on-" + t, on.includes(t));
    if (!this.svg.classList.length) this.svg.removeAttribute("class");
    this.flips.forEach((b, k) => { b.ariaPressed = on.includes(this.toggles[k]); });
    const text = sentence + pin + heard;
    if (this.says.dataset.text !== text) {
      const seen = phrase(sentence === told ? shown : sentence, pin);
      this.says.replaceChildren(...heard ? [make("span.heard", {}, heard), make("span", {"aria-hidden": "true"}, ...seen)] : seen);
      this.says.dataset.text = text;
    }
    this.panel.classList.toggle("playing", this.frame < last);
    this.notes.replaceChildren(...this.asides.filter(a => this.seen(a)).map(a => this.note(a)).filter(n => n.firstChild));
    const all = this.stops.length, at = this.stops.filter(k => k <= this.frame).length;
    this.count.textContent = `${at} / ${all}`;
    this.scrub.value = at - 1;
    this.scrub.style.setProperty("--at", (at - 1) / Math.max(1, all - 1));
    this.scrub.ariaValueText = `step ${at} of ${all}`;
    this.back.disabled = this.frame === 0;
    this.next.disabled = this.frame === last;
    this.grow();
    this.tell();
  }

  seen(shape) {  // whether it is there: hidden by no class of its own or of a group around it
    for (let e = shape; e !== this.svg; e = e.parentNode)
      for (const c of e.classList) if (c === "off" || this.toggles.some(t => c === (this.sides.includes(t) ? "unless-" : "when-") + t)) return false;
    return true;
  }

  note(aside) {  // its lines again as text, for a page too narrow to read them in the drawing
    const lines = new Map();
    for (const t of aside.querySelectorAll("text:not(.caption,.cell text)")) {
      if (!t.textContent || !this.seen(t)) continue;
      const line = t.parentNode === aside ? t.getAttribute("y") : t.parentNode, parts = t.children.length ? [...t.children] : [t];
      const words = make("span", {class: t.getAttribute("class") ?? ""}, ...parts.map(p => make("span", {class: p.getAttribute("class") ?? ""}, p.textContent)));
      lines.set(line, [...lines.get(line) ?? [], words, " "]);
    }
    return make("div", {}, ...[...lines.values()].map(line => make("p", {}, ...line)));
  }
};
