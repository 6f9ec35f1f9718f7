// A question in front of its picture. A guess is given by letter, by number (the choice's own, where each has one, else its place),
// by click, or by pointing at what means it, and is asked for once more before it counts. Python, which alone knows the answer, then
// sends what comes of it. `v` takes the votes of a class, twice: those before a talk stand beside those after it. Shift and a letter
// plays what follows from it, at any time.
const SO = {right: "option so", "right, and your guess": "option so own", played: "option played"};  // what is marked, at the end or at once
const MARKS = {played: "\u25b6"}, RUN = "Run the cell to answer.", BACK = "Esc leads back.", FIRST = "your first guess";
const total = votes => Object.values(votes).reduce((a, b) => a + b, 0);
const Asked = Base => class extends Base {
  asks = null; pick = null; given = null; votes = {}; rounds = []; voting = 0;  // 1: they are typed, unseen; 2: they are shown

  inquire(asks = null) {
    if (asks?.text !== this.asks?.text) Object.assign(this, {votes: {}, rounds: [], voting: 0});
    const same = asks?.open && asks.text === this.asks?.text && !asks.said[this.pick];  // what was picked meanwhile stays
    Object.assign(this, {asks, pick: same ? this.pick : null, given: null});
    this.panel.className = asks?.open ? "asks" : "asks told";
    this.body.classList.toggle("bare", Boolean(asks) && this.tall < 20);
    this.panel.replaceChildren();
    if (this.remark.textContent === BACK) this.remark.replaceChildren();
    if (!asks) return;
    const {open, choices, said} = asks, name = asks.text.replace(/\s+/g, " ");
    const code = asks.text.match(/^ .*/gm)?.length ?? 0;
    this.panel.classList.toggle("deep", code > 3); this.panel.classList.toggle("deeper", code > 4);
    const lines = asks.text.split(/\n(?! )|\n(?<!^ .*\n)/m).map(line => {  // what is asked is large, what is told before it less
      if (line.startsWith(" ")) return make("pre", {}, line);
      const end = line.indexOf("?") + 1, cut = end ? line.lastIndexOf(". ", end) + 1 : 0;
      return make("p", {}, line.slice(0, cut), ...(end ? [make("strong", {}, line.slice(cut, end).trim())] : []), line.slice(end).trim());
    });
    const long = Object.values(choices).some(words => words.length > 26 || words.includes("\n"));
    const list = make("div", {class: long ? "options long" : "options", role: open ? "radiogroup" : "list", "aria-label": name});
    this.options = Object.entries(choices).map(([letter, words]) => {
      const so = said[letter], face = [make("kbd", {}, letter), make("span", {}, words.replace(/(?<=\d) (?=-?\d)/g, "\u00a0")), ...(so ? [make("b", {"aria-hidden": "true"}, MARKS[so] ?? (SO[so] ? "\u2713" : "\u2717")), make("small", {}, so === "played" ? "played; Esc leads back" : so)] : [])];
      const one = make(open ? "button" : "div", {class: SO[so] ?? (so ? "option wrong" : "option"), "data-letter": letter, ...(open ? {type: "button", role: "radio"} : {})}, ...face);
      one.disabled = said[letter];
      if (open) on(one, "click", e => e.detail < 2 && this.choose(letter));
      const tally = make("div.tally");
      list.append(make("div", open ? {} : {role: "listitem"}, one, tally));
      return {letter, one, tally};
    });
    this.panel.append(...lines, list);
    this.mark();
  }

  mark() {
    const most = Math.max(1, ...this.rounds.flatMap(Object.values));
    this.options.forEach(({letter, one, tally}, k) => {
      const picked = letter === this.pick;
      one.ariaChecked = this.asks.open ? picked : null;
      if (this.asks.open) one.tabIndex = picked || !this.pick && !k ? 0 : -1;
      if (this.voting === 1 && tally.firstChild?.localName !== "input") {
        const field = make("input", {inputmode: "numeric", maxlength: 40, autocomplete: "off", "aria-label": "votes for " + letter});
        on(field, "input", () => this.counted());
        tally.replaceChildren(field);
      } else if (this.voting === 2) {
        tally.replaceChildren(...this.rounds.map((votes, n) => {
          const count = votes[letter] ?? 0, when = this.rounds[1] ? [make("span", {}, n ? "after" : "before")] : [];
          return make("div", {class: n || !when[0] ? "round" : "round before"}, ...when, make("i", {style: `width:${20 * count / most}%`}), make("b", {"aria-label": `${count} votes for ${letter}`}, String(count)), make("small", {}, Math.round(100 * count / (total(votes) || 1)) + " %"));
        }));
      } else if (!this.voting) tally.replaceChildren();
    });
  }

  counted() {  // one number is this choice's; several, "4 11 3 7", are of this and those after it
    this.votes = {};
    this.options.forEach(({tally}, k) => tally.firstChild.value.match(/\d+/g)?.forEach((n, i) => { if (this.options[k + i]) this.votes[this.options[k + i].letter] = Math.min(9999, n); }));
  }

  async plays(letter) {  // what follows from a choice, whoever took it; null: back to where one was
    const {asks, scene, state} = this, {sequel, home = [scene, state]} = asks;
    if (this.model) return HUB.press(this.dataset.model, letter ? "play " + letter : "back");
    if (!letter) return this.load(...home);
    if (!sequel) return this.remark.replaceChildren(RUN);
    const {told, played} = await inflated(unbased(sequel)), one = told[letter];
    if (!played[letter]) return;
    const [s, many] = played[letter];  // what it begins with, and how many frames come before what is so
    Object.assign(one.asks, {said: {[letter]: "played"}, sequel, home});
    this.load({...one, frames: [{...one.frames[0], s}, ...one.frames.slice(1, many)]}, {});
  }

  choose(letter) {  // the same one twice is a guess
    const {asks} = this;
    if (asks.said[letter] || this.given) return;  // it was tried, or Python is still to answer
    if (!this.model && !asks.sequel) return this.remark.replaceChildren(RUN);
    HAND.ran = this.closest(".jp-Cell") ?? HAND.ran;  // who answers goes on from here, however it was run
    const sure = letter && letter === this.pick;
    if (sure && this.model) HUB.press(this.dataset.model, letter);
    else if (sure) this.reveal(letter);
    Object.assign(this, {pick: sure ? null : letter, given: sure ? letter : null, hover: null});
    this.spot = Object.keys(asks.points).find(id => asks.points[id] === this.pick) ?? null;
    this.mark();
    this.render();
  }

  async reveal(letter) {  // in a page without Python, which has packed what each choice leads to
    const {asks, scene} = this, [first] = Object.keys(asks.said), {again, told} = await inflated(unbased(asks.sequel)), one = told[letter];
    if (!first && again[letter]) return this.load({...scene, frames: [{...scene.frames[0], s: again[letter]}], asks: {...asks, said: {[letter]: FIRST}}}, {});
    if (first) one.asks.said[first] = FIRST;
    one.asks.sequel = asks.sequel;
    this.load(one, {});
    const parts = [...document.querySelectorAll(NAME + ",details.after")];  // what follows an answer, up to the next question
    for (const part of parts.slice(parts.indexOf(this) + 1)) if (part.asks) break; else if (part.localName === "details") part.open = true;
  }

  pointed(id) {  // whether pointing was an answer, or one taken back
    if (!this.asks?.open) return false;
    if (id in this.asks.points) this.choose(this.asks.points[id]);
    else if (this.pick) this.choose(null);
    return true;
  }

  said(sentence) {
    const [before, after] = this.rounds.map(total), twice = after !== undefined;
    if (this.voting === 1) return `Type the votes${before ? " after the talk" : ""} for each choice, or all at once: 4 11 3 7. Then press v.`;
    if (this.played) return sentence;
    if (this.given) return `You took ${this.given}.`;
    if (this.pick) return `Take ${this.pick}, ${this.asks.choices[this.pick]}? Press Enter, or click it again.`;
    if (this.voting < 2 || Object.keys(this.asks.said).length) return sentence;
    return `${before} voted${twice ? " before the talk; after it: " + after : ""}. v votes ${twice ? "once more" : "after a talk"}${this.model || this.asks.sequel ? "; Shift and a letter plays it" : ""}.`;
  }

  get played() { return Object.values(this.asks?.said ?? {}).includes("played"); }

  vote() {  // counted, shown, counted after a talk; Escape ends it, and with no votes the counts are forgotten
    if (this.voting === 1) this.rounds = total(this.votes) ? [...this.rounds.slice(0, 1), this.votes] : [];
    this.votes = {};
    this.poll(this.voting !== 1 ? 1 : this.rounds.length ? 2 : 0);
  }

  poll(voting) {
    this.voting = voting;
    this.mark();
    this.render();
    this.fit();
    if (this.voting === 1) this.options[0].tally.firstChild.focus();
    else this.stage.focus();
  }

  answers(e) {  // what a key does here, or false when it is left to what has the focus
    const {asks} = this, field = this.active;
    if (!asks) return null;
    if (e.key === "v") return () => this.vote();
    if (e.key === "Escape" && this.played && !this.pinned && this.voting !== 1) return () => this.plays(null);
    if (e.key === "Escape" && this.voting) return () => this.poll(0);
    if (field?.parentNode.className === "tally" && e.key !== "Escape") {
      if (e.key !== "Enter" && e.key !== "Tab") return false;
      const next = this.options.findIndex(({tally}) => tally.contains(field)) + (e.shiftKey ? -1 : 1);
      return () => (this.options[next]?.tally.firstChild ?? this.stage).focus();
    }
    const letters = Object.keys(asks.choices);
    if (e.shiftKey && letters.includes(e.key)) return () => e.repeat || this.plays(e.key);
    if (this.played && letters.includes(e.key.toUpperCase())) return () => this.remark.replaceChildren(BACK);
    if (!asks.open) return null;
    const here = field?.dataset.letter, at = asks.points[this.spot] ?? this.pick;
    if (here && (e.key === "Enter" || e.key === " ")) return () => e.repeat || this.choose(here);
    if (here && e.key.startsWith("Arrow")) {
      const by = /Right|Down/.test(e.key) ? 1 : -1, to = (letters.indexOf(here) + by + letters.length) % letters.length;
      return () => { this.options[to].one.focus(); if (letters[to] !== this.pick) this.choose(letters[to]); };
    }
    const numbers = letters.map(one => asks.choices[one].match(/\d+/g)?.join() ?? ","), named = !numbers.join("").includes(",");
    const letter = letters.find((one, k) => one === e.key.toUpperCase() || e.key === (named ? numbers[k] : String(k + 1)));
    if (letter) return () => { if (here) this.options[letters.indexOf(letter)].one.focus(); if (letter !== this.pick) this.choose(letter); };
    if (e.key === "Enter" && at) return () => e.repeat || this.choose(at);
    return e.key === "Escape" && this.pick ? () => this.choose(null) : null;
  }
};
