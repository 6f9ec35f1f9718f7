// Numbers that open: under the picture stands what the pinned one was made of, level by level, and the trail on which one came.
// What is said of a number is Python's, and what is not here it is asked for.
const WORDS = {"\u00a0": " ", "\u00b7": " times ", " + ": " plus ", " - ": " minus ", "(-": "(minus ", " / ": " over ", " = ": ", which is ", " \u2248 ": ", about "};
const numbers = x => x?.to?.every ?? [];
const openable = x => numbers(x).filter(x => x.opens);
const tied = text => text.replaceAll(" ", "\u00a0");  // a name breaks only if it is longer than a line
const shapesOf = x => x?.shape?.split(" ") ?? [];
const Opening = Base => class extends Base {
  trail = []; place = 0; heard = "";

  parted({levels, parts}) {  // numbers as unfolds.py has packed them, each with the level that it opens to
    const all = levels.map(() => ({}));
    const told = parts.map(([k, letters, digits, shape, grad]) => ({to: all[k], opens: k !== -1, letters, digits, shape, grad}));
    const of = x => x.at ? x : told[x];
    levels.forEach(([about, terms, sign, digits, note = "", grad, every, shape], k) => {
      terms = terms.map(x => x.map(of));
      Object.assign(all[k], {about, terms, sign, digits, note, grad, shape, every: every?.map(of) ?? [...new Set(terms.flat().filter(x => !x.at))]});
    });
    return told;
  }

  unfold({unfolds, later}) {  // what comes later stays as it was until then
    if (!later) Object.assign(this, {...unfolds, parts: unfolds && this.parted(unfolds)});
    else if (this.last || !this.parts) this.model?.send({need: "levels"});
    if (!this.layers) this.stage.after(this.layers = make("div.layers"));
    this.layers.ariaBusy = Boolean(later);
  }

  get root() { return this.asks?.open ? null : this.parts?.[spoken(this.opens, this.sides)[this.pinned]]; }
  get last() { return this.trail.at(-1); }
  get cell() { return this.last && shapesOf(this.last).find(id => this.shapes.has(id) && this.seen(this.shapes.get(id))); }
  get choice() { const all = openable(this.last); return all.at(this.place % all.length); }

  trace() {  // the trail again from what is pinned now, as far as its numbers are there
    const trail = [];
    for (const {letters} of this.trail) {
      const part = trail.length ? openable(trail.at(-1)).find(x => x.letters === letters) : this.root;
      if (part) trail.push(part);
      if (!part?.to || part.letters !== letters) break;
    }
    if (trail.length !== this.trail.length || trail.some((x, k) => x !== this.trail[k])) this.set(trail, this.place);
  }

  set(trail, place = 0, whole = true) {
    const part = trail.at(-1), detail = {name: part?.letters, shape: this.pinned, side: this.sides, path: trail.slice(1).map(({letters}) => letters)};
    Object.assign(this, {trail, place, wish: JSON.stringify(detail)});
    if (part && !part.to) this.dispatchEvent(new CustomEvent("rustyflow:open", {detail}));
    this.write(whole);
  }

  walk(...way) {
    this.set(...way);
    this.render();
    this.follow(this.shapes.get(this.cell));
    this.fly();
  }

  open(part, many = this.trail.length) { this.walk([...this.trail.slice(0, many), part]); }
  fold(many) { this.walk(this.trail.slice(0, many), Math.max(0, openable(this.trail[many - 1]).indexOf(this.trail[many]))); }

  opened({wish, ...told}) {  // Python's answer
    if (!this.last || this.last.to || JSON.stringify(wish) !== this.wish || !told.parts[0]) return;
    this.last.to = this.parted(told)[0].to;
    this.walk(this.trail);
  }

  into(id) {  // a press in the picture: on what is pinned, or on a number of the level
    const part = this.last ? openable(this.last).find(x => shapesOf(x).includes(id)) : this.pinned === id && this.root;
    if (part) this.open(part);
    return part;
  }

  unfolds({key, shiftKey}) {  // what a key does
    const {root, choice, trail, place} = this;
    if (!this.last) return key === "Enter" && root && (this.spot ?? this.hover ?? this.pinned) === this.pinned && (() => this.open(root));
    return {Enter: () => choice && this.open(choice), Tab: () => choice && this.walk(trail, place + (shiftKey ? -1 : 1), false),
      Backspace: () => this.fold(trail.length - 1), Escape: this.sheet.hidden && (() => this.fold(0))}[key];
  }

  get lights() {  // the cells of the trail, and those that the levels in sight read
    const shapes = list => list.flatMap(shapesOf).filter(id => this.shapes.has(id)).join(" ");
    return {read: shapes(this.trail.slice(this.dialog.open ? -1 : -2).flatMap(x => [...numbers(x), x.to])), opened: shapes(this.trail)};
  }

  write(whole) {  // the panel, and what is heard of it: a level, or the next number alone
    const {trail, choice, last} = this, press = (face, onclick, cls) => Object.assign(make("span", {role: "button", class: cls}, face), {onclick});
    const faced = (piece, key, k) => {
      if (piece.at) return piece;
      const cls = `number${piece.grad ? " grad" : ""}${piece === trail[k] ? " gone" : piece === choice && k === trail.length ? " next" : ""}`;
      return piece.opens ? press(tied(piece[key]), () => this.open(piece, k), cls) : make("span", {class: cls}, tied(piece[key]));
    };
    const levels = trail.slice(-2).map(part => {
      const {to, letters} = part, k = trail.indexOf(part) + 1;
      if (!to) return make("div.level", {}, `figure.where(${JSON.stringify(letters)}) opens it in Python.`);
      const line = key => [" =", ...to.terms.flatMap(term => [" ", make("span", {class: to.terms[1] ? "term" : ""}, ...term.map(piece => faced(piece, key, k)))])];
      const told = make("p.digits", {}, ...numbers(part).every(({letters, digits}) => letters === digits) ? [] : line("digits"));
      if (to.sign) told.append(" ", make("span.term", {}, to.sign + " ", make("b", {class: to.grad ? "grad" : ""}, to.digits)), to.note && ", " + to.note);
      told.classList.toggle("long", told.textContent.length > 60);
      return make("div.level", {}, make("p", {}, make("b", {}, tied(to.about)), ...line("letters")), told);
    });
    const pills = trail.map(({to, letters}, k) => press(to?.sign ? `${to.about} ${to.sign} ${to.digits}` : letters, () => this.fold(k + 1), "pill"));
    if (this.of && trail[0]?.grad) pills.unshift(make("span", {}, this.of));
    if (choice) pills.push(faced(choice, "letters", trail.length));
    const keys = [["Enter", "opens " + choice?.letters], ["Tab", "the next number"], ["Backspace", "one level back"], ["Esc", "closes all"]].slice(choice ? 0 : 2);
    this.layers.replaceChildren(...last ? [make("div.trail", {}, ...pills), ...levels,
      make("p.keys", {}, ...keys.map(([key, does]) => make("span", {}, make("b", {}, key), " " + does)))] : []);
    const told = Object.entries(WORDS).reduce((text, [sign, word]) => text.replaceAll(sign, word), whole && levels.at(-1)?.textContent.replace(" = ", " is ") || "");
    this.heard = last ? told + (choice ? `. Enter opens ${choice.letters}, ${choice.digits}.` : "") : "";
  }
};
