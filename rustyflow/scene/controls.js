// The inputs of a widget, under its figure, as Python lists them: {trait, at, kind, label, min, max, options}. `at` is a place in
// a list, or null; a button has what it says to Python, `press`, and may have a key and a shape that press it; a range may have a shape
// that is dragged, by `bridge.js`. A control that stays is not touched, so that nothing typed or focused is lost.
const Steered = Base => class extends Base {
  steered = new Map(); followed = new Set();

  steer(list) {
    const named = new Map(list.map(told => [JSON.stringify([told.trait, told.at, told.kind, told.label]), told]));
    if ([...named.keys()].join() !== [...this.steered.keys()].join()) {
      const focused = this.active, within = this.controls.contains(focused);
      this.steered = new Map([...named].map(([name, told]) => [name, this.steered.get(name) ?? this.control(told)]));
      const boxes = [...this.steered.values()].map(({box}) => box);
      boxes.forEach((box, k) => { box.style.order = k; });
      this.controls.replaceChildren(...boxes);
      if (within) (focused.isConnected ? focused : this.stage).focus({preventScroll: true});
    }
    for (const [name, told] of named) this.reflect(Object.assign(this.steered.get(name), {told}));
    for (const {trait, spot} of list) {
      this.shapes.get(spot)?.setAttribute("data-held", "");
      if (!trait || this.followed.has(trait)) continue;
      this.followed.add(trait);
      this.model.on("change:" + trait, this.heed);
    }
  }

  unsteer(over) {
    for (const trait of this.followed) this.model?.off("change:" + trait, this.heed);
    this.followed.clear();
    if (!over) return;  // it only moves: what is typed in stays
    this.steered.clear();
    this.controls?.replaceChildren();
  }

  control(told) {
    const {kind, label} = told, control = {told, fields: []};
    const field = (tag, attributes, event, read) => {
      const made = make(tag, {...attributes, "aria-label": label});
      on(made, event, () => {
        this.remark.style.order = kind === "text" ? control.box.style.order : "";  // what is said of it stands beside or under it
        this.steerTo(control.told, read(made));
      });
      if (kind === "text") on(made, "keydown", e => e.key === "Enter" && !e.isComposing && !e.shiftKey && !e.ctrlKey && this.stage.focus());  // what is typed is done: the figure has the keys again
      on(made, "blur", () => this.model && this.reflect(control));
      control.fields.push(made);
      return made;
    };
    if (kind === "button") {
      control.box = make("button", {type: "button", "aria-keyshortcuts": told.key}, label);
      on(control.box, "click", () => HUB.press(this.dataset.model, control.told.press));
      return control;
    }
    const number = made => told.step % 1 ? made.valueAsNumber : Math.trunc(made.valueAsNumber);  // of half a number none
    const parts = {
      range: () => ["range", "number"].map(type => field("input", {type, step: told.step}, "input", number)),
      check: () => [field("input", {type: "checkbox"}, "change", made => made.checked)],
      choice: () => [field("select", {}, "change", made => made.value)],
      text: () => [field("input", {type: "text", spellcheck: "false", autocomplete: "off"}, "input", made => made.value)],
    }[kind]();
    control.box = make("label", {class: kind}, make("span", {}, label), ...parts);
    return control;
  }

  pressed(by, what) { return [...this.steered.values()].find(({told}) => told.press && told[by] === what)?.box; }  // its key, or its shape

  steerTo({trait, at}, value) {
    if (!this.model || Number.isNaN(value)) return;
    const now = this.model.get(trait);
    this.model.set(trait, at === null ? value : now.map((part, k) => k === at ? value : part));
    this.model.save_changes();
    this.ask();
  }

  reflect({told, fields}) {  // what Python has; but a field that is typed in is never written to
    if (told.kind === "button") return;
    const now = this.model.get(told.trait), value = told.at === null ? now : now[told.at];
    for (const field of fields) {
      const {min, max, step} = told;
      if (told.kind === "range") Object.assign(field, {min, max, step});
      if (told.kind === "choice" && field.length !== told.options.length) field.replaceChildren(...told.options.map(o => make("option", {}, o)));
      if (field === this.active && /text|number/.test(field.type)) continue;
      if (field.type === "checkbox") field.checked = value;
      else if (field.value !== String(value)) field.value = value;
    }
  }
};
