// Numbers that open: under the picture stands what the pinned one was made of, level by level, and the trail on which one came.
// What is said of a number is Python's, and what is not here it is asked for.
const WORDS = {"\u00b7": " times ", " + ": " plus ", " - ": " minus ", "(-": "(minus ", " / ": " over ", " = ": " is ", " \u2248 ": " is about "};
const numbers = ({to}) => [...new Set(to?.terms.flat().filter(piece => !piece.at))];
const openable = part => part ? numbers(part).filter(({opens}) => opens) : [];
const Opening = Base => class extends Base {
  trail = []; place = 0; heard = "";

  parted({levels, parts}) {  // numbers as unfolds.py has packed them, each with the level that it opens to
    const all = levels.map(([about, , sign, digits, note = "", shape, grad]) => ({about, sign, digits, note, shape, grad}));
    const told = parts.map(row => {
      const [k, letters, digits, shape, grad] = [row].flat(), to = all[k];
      return letters ? {to, opens: k !== -1, letters, digits, shape, grad} : {...to, to, opens: true, letters: to.about, digits: row.at ? `(${to.digits})` : to.digits};
    });
    all.forEach((level, k) => { level.terms = levels[k][1].map(term => term.map(piece => piece.at ? piece : told[piece])); });
    return told;
  }

  get side() { return this.on ?? this.scene.frames[this.frame].t; }
  get root() { return this.asks?.open ? null : this.parts?.[spoken(this.scene.unfolds.opens, this.side)[this.pinned]]; }
  get last() { return this.trail.at(-1); }
  get choice() { const all = openable(this.last); return all.at(this.place % all.length); }

  unfold(unfolds) { this.parts = unfolds && this.parted(unfolds); }

  trace() {  // the trail again, as far as its numbers are there: from what is pinned now
    const trail = [];
    for (const was of this.trail) {
      const part = trail.length ? openable(trail.at(-1)).find(({letters}) => letters === was.letters) : this.root;
      if (!part?.to && part !== was) break;
      trail.push(part);
      if (part.letters !== was.letters) break;
    }
    if (trail.length !== this.trail.length || trail.some((part, k) => part !== this.trail[k])) this.walk(trail, this.place);
  }

  walk(trail, place = 0) {
    Object.assign(this, {trail, place});
    this.tell(true);
  }

  open(part, many = this.trail.length) {  // at the end of so much of the trail
    const trail = [...this.trail.slice(0, many), part], detail = {name: part.letters, shape: this.pinned, side: this.side, path: trail.slice(1).map(({letters}) => letters)};
    this.ask = JSON.stringify(detail);
    this.alone = !part.to && this.dispatchEvent(new CustomEvent("rustyflow:open", {detail, cancelable: true}));
    this.walk(trail);
    this.render();
    this.follow(this.shapes.get(part.shape));
  }

  opened({ask, ...told}) {  // Python's answer
    if (JSON.stringify(ask) !== this.ask || !this.last || this.last.to) return;
    this.last.to = this.parted(told)[0]?.to;
    this.alone = true;
    this.walk(this.trail);
    this.render();
  }

  back(many) {
    const all = openable(this.trail[many - 1]);
    this.walk(this.trail.slice(0, many), Math.max(0, all.indexOf(this.trail[many])));
    this.render();
  }

  tab(by) { this.place += by; this.tell(); this.render(); }

  into(id) {  // a press in the picture: on a number of the level, on one of the trail, on what is pinned
    const is = ({shape}) => id && shape === id, part = openable(this.last).find(is) ?? (this.last ? null : this.pinned === id && this.root), k = this.trail.findIndex(is) + 1;
    if (part) this.open(part);
    else if (k && k < this.trail.length) this.back(k);
    else return false;
    return true;
  }

  unfolds({key, shiftKey}) {  // what a key does
    const {root, choice, trail: {length}} = this;
    if (!length) return key === "Enter" && root && (this.spot ?? this.hover ?? this.pinned) === this.pinned && (() => this.open(root));
    return {Enter: () => choice && this.open(choice), Tab: () => this.tab(shiftKey ? -1 : 1), Backspace: () => this.back(length - 1), Escape: this.sheet.hidden && (() => this.back(0))}[key];
  }

  get lights() {  // the cells of the trail, and those that the levels in sight read
    const shapes = list => list.map(({shape}) => shape).filter(Boolean).join(" ");
    return {read: shapes(this.trail.slice(this.dialog.open ? -1 : -2).flatMap(numbers)), opened: shapes(this.trail)};
  }

  tell(whole) {  // the panel, and what is heard of it: a level, or the next number alone
    const {trail, choice, last} = this, name = part => part.to?.about ?? part.letters;
    const face = (piece, key, k) => {
      if (piece.at) return piece;
      const one = piece.opens ? this.button("open " + piece.letters, piece[key], () => this.open(piece, k)) : make("span", {}, piece[key]);
      one.className = ["number", piece.grad ? "grad" : "", piece === (trail[k] ?? choice) ? "next" : ""].join(" ");
      return one;
    };
    const line = ({terms}, key, k) => terms.flatMap(term => [" ", make("span", {class: "term"}, ...term.map(piece => face(piece, key, k)))]);
    const levels = trail.map(({to, letters}, k) => to ? make("div", {},
      make("p", {}, make("b", {}, to.about), " =", ...line(to, "letters", k + 1)),
      make("p", {class: to.grad ? "digits grad" : "digits"}, "=", ...line(to, "digits", k + 1), ` ${to.sign} `, make("b", {}, to.digits), to.note && ` ${to.note}`))
      : make("p", {}, this.alone ? `figure.where(${JSON.stringify(letters)}) opens it in Python.` : "Python is asked for it.")).slice(-2);
    const pills = trail.map(({to}, k) => this.button("back to " + name(trail[k]), to ? `${to.about} ${to.sign} ${to.digits}` : name(trail[k]), () => this.back(k + 1)));
    if (choice) pills.push(this.button("open " + choice.letters, choice.letters, () => this.open(choice)));
    if (last && trail[0].grad) pills.unshift(make("span", {}, this.scene.unfolds.of));
    const keys = [["Enter", "opens " + choice?.letters], ["Tab", "the next number"], ["Backspace", "one level back"], ["Esc", "closes all"]].slice(choice ? 0 : 2);
    this.layers.replaceChildren(...last ? [make("div", {class: "trail"}, ...pills), ...levels, make("p", {class: "keys"}, ...keys.map(([key, does]) => make("span", {}, make("kbd", {}, key), " " + does)))] : []);
    const told = Object.entries(WORDS).reduce((text, [sign, word]) => text.replaceAll(sign, word), whole && levels.at(-1)?.textContent || "");
    this.heard = last ? `${told} ${choice ? `Enter opens ${choice.letters}, ${choice.digits}.` : ""}` : "";
  }
};
