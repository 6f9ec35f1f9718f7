// Numbers that open: under the picture stands what the pinned one was made of, level by level, and the trail on which one came.
// What is said of a number is Python's, and what is not here it is asked for.
const WORDS = {"\u00b7": " times ", " + ": " plus ", " - ": " minus ", "(-": "(minus ", " / ": " over ", " = ": ", which is ", " \u2248 ": ", about "};
const numbers = part => [...new Set(part?.to?.terms.flat().filter(piece => !piece.at))];
const openable = part => numbers(part).filter(({opens}) => opens);
const Opening = Base => class extends Base {
  trail = []; place = 0; heard = "";

  parted({levels, parts}) {  // numbers as unfolds.py has packed them, each with the level that it opens to
    const all = levels.map(([about, , sign, digits, note = "", grad]) => ({about, sign, digits, note, grad}));
    const told = parts.map(([k, letters, digits, shape, grad]) => ({to: all[k], opens: k !== -1, letters, digits, shape, grad}));
    all.forEach((level, k) => { level.terms = levels[k][1].map(term => term.map(piece => piece.at ? piece : told[piece])); });
    return told;
  }

  unfold({unfolds, later}) {  // what comes later stays as it was until then
    if (!later) Object.assign(this, {...unfolds, parts: unfolds && this.parted(unfolds)});
    else if (this.last || !this.parts) this.model?.send({need: "levels"});
    this.layers.ariaBusy = Boolean(later);
  }

  get root() { return this.asks?.open ? null : this.parts?.[spoken(this.opens, this.sides)[this.pinned]]; }
  get last() { return this.trail.at(-1); }
  get cell() { return this.last?.shape?.split(" ")[0]; }
  get choice() { const all = openable(this.last); return all.at(this.place % all.length); }

  trace() {  // the trail again from what is pinned now, as far as its numbers are there
    const trail = [];
    for (const was of this.trail) {
      const part = trail.length ? openable(trail.at(-1)).find(({letters}) => letters === was.letters) : this.root;
      if (!part) break;
      trail.push(part);
      if (!part.to || part.letters !== was.letters) break;
    }
    if (trail.length !== this.trail.length || trail.some((part, k) => part !== this.trail[k])) this.set(trail, this.place);
  }

  set(trail, place = 0, whole = true) {
    const part = trail.at(-1), detail = {name: part?.letters, shape: this.pinned, side: this.sides, path: trail.slice(1).map(({letters}) => letters)};
    Object.assign(this, {trail, place, wish: JSON.stringify(detail)});
    this.alone = part && !part.to && this.dispatchEvent(new CustomEvent("rustyflow:open", {detail, cancelable: true}));
    this.write(whole);
  }

  walk(...way) {
    this.set(...way);
    this.render();
    this.follow(this.shapes.get(this.cell));
  }

  open(part, many = this.trail.length) { this.walk([...this.trail.slice(0, many), part]); }

  opened({wish, ...told}) {  // Python's answer
    if (!this.last || this.last.to || JSON.stringify(wish) !== this.wish) return;
    this.last.to = this.parted(told)[0]?.to;
    if (this.last.to) return this.walk(this.trail);
    this.alone = true;
    this.write(true);
    this.render();
  }

  fold(many) { this.walk(this.trail.slice(0, many), Math.max(0, openable(this.trail[many - 1]).indexOf(this.trail[many]))); }

  into(id) {  // a press in the picture: on what is pinned, or on a number of the level
    const part = this.last ? openable(this.last).find(({shape}) => shape?.split(" ").includes(id)) : this.pinned === id && this.root;
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
    const shapes = list => list.flatMap(({shape}) => shape?.split(" ") ?? []).filter(id => this.shapes.has(id)).join(" ");
    return {read: shapes(this.trail.slice(this.dialog.open ? -1 : -2).flatMap(numbers)), opened: shapes(this.trail)};
  }

  write(whole) {  // the panel, and what is heard of it: a level, or the next number alone
    const {trail, choice, last, alone} = this, press = (face, onclick, cls) => Object.assign(make("span", {role: "button", class: cls}, face), {onclick});
    const faced = (piece, key, k) => {
      if (piece.at) return piece;
      const cls = ["number", piece.grad && "grad", piece === trail[k] ? "gone" : piece === choice && k === trail.length && "next"].filter(Boolean).join(" ");
      return piece.opens ? press(piece[key], () => this.open(piece, k), cls) : make("span", {class: cls}, piece[key]);
    };
    const line = (key, {terms}, k) => [" =", ...terms.flatMap(term => [" ", make("span", {class: terms[1] ? "term" : ""}, ...term.map(piece => faced(piece, key, k)))])];
    const level = (part, n, {length}) => {
      const {to, letters} = part, k = trail.length - length + n + 1, plain = numbers(part).every(({letters, digits}) => letters === digits);
      if (!to) return make("div", {class: "level"}, alone ? `figure.where(${JSON.stringify(letters)}) opens it in Python.` : "Python is asked for it.");
      const told = make("p", {class: "digits"}, ...plain ? [] : line("digits", to, k));
      if (to.sign) told.append(" ", make("span", {class: "term"}, to.sign + " ", make("b", {class: to.grad ? "grad" : ""}, to.digits)), to.note && ", " + to.note);
      told.classList.toggle("long", told.textContent.length > 60);
      return make("div", {class: "level"}, make("p", {}, make("b", {}, to.about), ...line("letters", to, k)), told);
    };
    const levels = trail.slice(-2).map(level), keys = [["Enter", "opens " + choice?.letters], ["Tab", "the next number"], ["Backspace", "one level back"], ["Esc", "closes all"]];
    const pills = trail.map(({to, letters}, k) => press(to?.sign ? `${to.about} ${to.sign} ${to.digits}` : letters, () => this.fold(k + 1), "pill"));
    if (this.of && trail[0]?.grad) pills.unshift(make("span", {}, this.of));
    if (choice) pills.push(faced(choice, "letters", trail.length));
    this.layers.replaceChildren(...last ? [make("div", {class: "trail"}, ...pills), ...levels,
      make("p", {class: "keys"}, ...keys.slice(choice ? 0 : 2).map(([key, does]) => make("span", {}, make("b", {}, key), " " + does)))] : []);
    const told = Object.entries(WORDS).reduce((text, [sign, word]) => text.replaceAll(sign, word), whole && levels.at(-1)?.textContent.replace(" = ", " is ") || "");
    this.heard = last ? told + (choice ? `. Enter opens ${choice.letters}, ${choice.digits}.` : "") : "";
  }
};
