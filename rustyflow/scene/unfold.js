// Numbers that open: under the picture stands what the pinned one was made of, level by level, and the trail on which one came.
// What is said of a number is Python's, and what is not here it is asked for.
const WORDS = {"\u00b7": " times ", " + ": " plus ", " - ": " minus ", "(-": "(minus ", " / ": " over ", " = ": ", which is ", " \u2248 ": ", about "};
const numbers = part => [...new Set(part?.to?.terms.flat().filter(piece => !piece.at))];
const openable = part => numbers(part).filter(({opens}) => opens);
const Opening = Base => class extends Base {
  trail = []; place = 0; heard = "";

  parted({levels, parts}) {  // numbers as unfolds.py has packed them, each with the level that it opens to
    const all = levels.map(([about, , sign = "", digits = "", note = "", grad]) => ({about, sign, digits, note, grad}));
    const told = parts.map(([k, letters, digits, shape, grad]) => ({to: all[k], opens: k !== -1, letters, digits, shape, grad}));
    all.forEach((level, k) => { level.terms = levels[k][1].map(term => term.map(piece => piece.at ? piece : told[piece])); });
    return told;
  }

  unfold(unfolds) { this.parts = unfolds && this.parted(unfolds); }

  get root() { return this.asks?.open ? null : this.parts?.[spoken(this.scene.unfolds.opens, this.sides)[this.pinned]]; }
  get last() { return this.trail.at(-1); }
  get choice() { const all = openable(this.last); return all.at(this.place % all.length); }

  trace() {  // the trail again from what is pinned now, as far as its numbers are there
    const trail = [];
    for (const was of this.trail) {
      const part = trail.length ? openable(trail.at(-1)).find(({letters}) => letters === was.letters) : this.root;
      if (!part?.to && part !== was) break;
      trail.push(part);
      if (part.letters !== was.letters) break;
    }
    if (trail.length === this.trail.length && trail.every((part, k) => part === this.trail[k])) return;
    this.trail = trail;
    this.write(true);
  }

  walk(trail, place = 0, whole = true) {
    Object.assign(this, {trail, place});
    this.write(whole);
    this.render();
    this.follow(this.last?.shape?.split(" ").map(id => this.shapes.get(id)).find(shape => shape && this.seen(shape)));
  }

  open(part, many = this.trail.length) {  // at the end of so much of the trail
    const trail = [...this.trail.slice(0, many), part], detail = {name: part.letters, shape: this.pinned, side: this.sides, path: trail.slice(1).map(({letters}) => letters)};
    this.wish = JSON.stringify(detail);
    this.alone = !part.to && this.dispatchEvent(new CustomEvent("rustyflow:open", {detail, cancelable: true}));
    this.walk(trail);
  }

  opened({wish, ...told}) {  // Python's answer
    if (!this.last || this.last.to || JSON.stringify(wish) !== this.wish) return;
    this.last.to = this.parted(told)[0]?.to;
    this.alone = true;
    this.walk(this.trail);
  }

  fold(many) { this.walk(this.trail.slice(0, many), Math.max(0, openable(this.trail[many - 1]).indexOf(this.trail[many]))); }

  into(id) {  // a press in the picture: on what is pinned, or on a number of the level
    const part = this.last ? openable(this.last).find(({shape}) => id && shape?.split(" ").includes(id)) : this.pinned === id && this.root;
    if (part) this.open(part);
    return part;
  }

  unfolds({key, shiftKey}) {  // what a key does
    const {root, choice, trail, place} = this;
    if (!this.last) return key === "Enter" && root && (this.spot ?? this.hover ?? this.pinned) === this.pinned && (() => this.open(root));
    return {Enter: () => choice && this.open(choice), Tab: () => this.walk(trail, place + (shiftKey ? -1 : 1), false),
      Backspace: () => this.fold(trail.length - 1), Escape: this.sheet.hidden && (() => this.fold(0))}[key];
  }

  get lights() {  // the cells of the trail, and those that the levels in sight read
    const shapes = list => list.map(({shape}) => shape).filter(Boolean).join(" ");
    return {read: shapes(this.trail.slice(this.dialog.open ? -1 : -2).flatMap(numbers)), opened: shapes(this.trail)};
  }

  write(whole) {  // the panel, and what is heard of it: a level, or the next number alone
    const {trail, choice, last} = this, of = trail[0]?.grad && this.scene.unfolds.of;
    const press = (part, face, act, className) => Object.assign(this.button("open " + part.letters, face, act), {className});
    const faced = (piece, key, k) => {
      if (piece.at) return piece;
      const cls = ["number", piece.grad && "grad", piece === trail[k] ? "gone" : piece === choice && k === trail.length && "next"].filter(Boolean).join(" ");
      return piece.opens ? press(piece, piece[key], () => this.open(piece, k), cls) : make("span", {class: cls}, piece[key]);
    };
    const line = (key, {terms}, k) => terms.flatMap(term => [" ", make("span", {class: terms[1] ? "term" : ""}, ...term.map(piece => faced(piece, key, k)))]);
    const levels = trail.slice(-2).map((part, n, {length}) => {
      const {to} = part, k = trail.length - length + n + 1;
      if (!to) return make("div", {class: "level"}, this.alone ? `figure.where(${JSON.stringify(part.letters)}) opens it in Python.` : "Python is asked for it.");
      const digits = make("p", {class: "digits"}, " =", ...line("digits", to, k), ` ${to.sign} `, make("b", {class: to.grad ? "grad" : ""}, to.digits), to.note && ", " + to.note);
      digits.classList.toggle("long", digits.textContent.length > 60);
      return make("div", {class: "level"}, make("p", {}, make("b", {}, to.about), " =", ...line("letters", to, k)), digits);
    });
    const pills = trail.map(({to, letters}, k) => press(trail[k], to ? `${to.about} ${to.sign} ${to.digits}` : letters, () => this.fold(k + 1), "pill"));
    if (of) pills.unshift(make("span", {}, of));
    if (choice) pills.push(faced(choice, "letters", trail.length));
    const keys = [["Enter", "opens " + choice?.letters], ["Tab", "the next number"], ["Backspace", "one level back"], ["Esc", "closes all"]].slice(choice ? 0 : 2);
    this.layers.replaceChildren(...last ? [make("div", {class: "trail"}, ...pills), ...levels, make("p", {class: "keys"}, ...keys.map(([key, does]) => make("span", {}, make("b", {}, key), " " + does)))] : []);
    const told = Object.entries(WORDS).reduce((text, [sign, word]) => text.replaceAll(sign, word), whole && levels.at(-1)?.textContent.replace(" = ", " is ") || "");
    this.heard = last ? told + (choice ? `. Enter opens ${choice.letters}, ${choice.digits}.` : "") : "";
  }
};
