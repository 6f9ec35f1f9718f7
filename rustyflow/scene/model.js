// A figure with Python in the loop: it follows a widget's model, and tells it what is shown. Without one it is alone.
const RESTING = new Map();  // figures whose outputs have just been written anew, for a moment
const TRAITS = ["_scene", "_note", "_controls", "frame", "pinned", "side"];
const BUSY = "Python is busy: the picture goes on.", ALL = " r runs all down to it.";

const lacking = asks => {  // why there is no model, as far as the page tells
  const told = document.getElementById("jupyter-config-data")?.textContent, there = name => told.includes(name + `"`);
  const doctor = "rustyflow doctor, in a terminal, says what to do.";
  if (told && !(there("jupyterlab-manager") && there("anywidget"))) return "This page lacks the front end of widgets: " + doctor;
  return `Run the cell to ${asks ? "answer" : "change what it shows"}.${told && !HUB.met ? " If it was run, widgets here are too old: " + doctor : ""}`;
};

const Bound = Base => class extends Base {
  turn = 0; typed = [];
  heed = () => { this.hearing = this.hear(); };
  share = e => {
    for (const [trait, value] of Object.entries(e.detail)) this.model.set(trait, value);
    this.model.save_changes();
    this.ask();
    this.later();
  };

  wonder = e => { this.model.send({open: e.detail}); this.ask(); };

  ask() { HUB.ask(this.dataset.model); }

  holds(e) {  // where keys are answers, the next one waits until Python has carried out the one before
    const key = this.dataset.model, waits = HUB.busy.has(key) ? /^(\w|Enter)$/ : /^(\w|Enter|Arrow\w+)$/;
    if (!HUB.due.get(key) || !(this.asks?.open || [...this.steered.values()].some(({told}) => told.key)) || !waits.test(e.key)) return false;
    if (!e.repeat) this.typed.push(e);
    e.preventDefault(); e.stopPropagation();
    return true;
  }

  async answered() {
    await this.hearing;
    this.given = null;
    for (const e of this.typed.splice(0)) (this.active ?? this.stage).dispatchEvent(new KeyboardEvent("keydown", e));
  }

  say() {  // what Python wants said, or that it does not answer
    if (this.model) this.remark?.replaceChildren(...apart(HUB.busy.has(this.dataset.model) ? BUSY : this.model.get("_note")));
  }

  join() {
    const key = this.dataset.model;
    if (!key) return;
    HUB.hosts.set(key, (HUB.hosts.get(key) ?? new Set).add(this));
    if (HUB.models.has(key)) this.bind(HUB.models.get(key));
    else if (!key.startsWith("still")) setTimeout(() => this.isConnected && !this.model && this.remark?.replaceChildren(lacking(this.asks)), 5000);
  }

  quit() {
    const key = this.dataset.model;
    if (!key) return;
    HUB.hosts.get(key)?.delete(this);
    this.part();
    if (!this.shadowRoot || "view" in this.dataset) return;
    this.filled = this.dialog.open;  // the screen
    RESTING.set(key, this);
    setTimeout(() => RESTING.get(key) === this && RESTING.delete(key), 50);
  }

  adopt() {  // the figure that was here goes on: nothing typed or focused is lost
    const key = this.dataset.model, old = RESTING.get(key);
    if (!old || old.isConnected || "view" in this.dataset) return false;
    const {focused, filled} = old;
    RESTING.delete(key);
    this.replaceWith(old);
    if (filled) old.project(true);
    focused?.focus({preventScroll: true});
    return true;
  }

  bind(model) {
    this.part();
    this.model = model;
    for (const trait of TRAITS) model.on("change:" + trait, this.heed);
    this.addEventListener("rustyflow:state", this.share);
    this.addEventListener("rustyflow:open", this.wonder);
    this.heed();
    if (!HUB.due.get(this.dataset.model)) this.answered();
  }

  part(why = "") {
    for (const trait of this.model ? TRAITS : []) this.model.off("change:" + trait, this.heed);
    this.unsteer(why);
    this.removeEventListener("rustyflow:state", this.share);
    this.removeEventListener("rustyflow:open", this.wonder);
    this.model = null;
    if (why) Object.assign(this, {bytes: null, typed: [], given: null});  // not if it only moves
    this.turn++;
    clearTimeout(this.rest);
    this.remark?.replaceChildren(why && this.revives ? why + ALL : why);
  }

  async hear() {
    const {model} = this, bytes = model.get("_scene"), turn = ++this.turn;
    let scene = null;
    if (!bytes.byteLength) return;  // it is still to come
    if (bytes !== this.bytes) {  // as JSON, or deflated
      const data = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      scene = data[0] === 123 ? JSON.parse(new TextDecoder().decode(data)) : await inflated(data);
      if (turn !== this.turn) return;  // another one has come meanwhile
      this.bytes = bytes;
    }
    const state = {frame: model.get("frame"), pinned: model.get("pinned"), side: model.get("side")};
    const same = this.shadowRoot && JSON.stringify(state) === JSON.stringify(this.state);
    if (scene) this.outer = [];
    if (scene) this.load(scene, same ? undefined : state);
    else if (!same) this.take(state);
    this.steer(model.get("_controls"));
    this.say();
    if (scene || !same) this.later();
  }

  later() {  // at rest, its output is written anew: not under a pressed button, whose click would be lost
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.dialog?.open || document.querySelector(":active") ? this.later() : this.model?.send({rest: 1}), 700);
  }
};
