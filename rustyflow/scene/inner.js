// Scenes that open from shapes of a scene, in its place: a key, or a button, goes in, and Escape comes back to where one was.
const Nesting = Base => class extends Base {
  outer = []; doors = {}; ways = [];

  door() {  // what leads in from here, and out
    for (const b of this.ways) b.remove();
    const inner = Object.entries(this.scene.inner ?? {});
    this.doors = Object.fromEntries(inner.map(([key]) => [key, () => this.dive(key)]));
    this.ways = inner.map(([key, {label}]) => this.button(`${label} (${key})`, this.face("", key), this.doors[key]));
    if (this.outer.length) this.ways = [this.button("back (Esc)", this.face("back", "Esc"), () => this.surface())];
    this.tools.prepend(...this.ways);
  }

  dive(key) {
    const {scenes, said, absent} = this.scene.inner[key], at = this.pinned ?? this.spot ?? this.scene.frames[this.frame].l, scene = scenes[at], wish = this.entry = [key, at];
    const asked = scene === "" && this.model;
    if (scene || asked) this.model?.send({[asked ? "inner" : "inside"]: wish});
    if (scene) this.entered({wish, scene});
    else this.remark.replaceChildren(asked ? "Python draws it ..." : said[at] ?? absent);
  }

  async entered({wish, scene}) {  // it is there, or Python has answered
    scene = await inflated(unbased(scene));
    if (this.outer[0] || String(wish) !== String(this.entry)) return;
    this.outer.push([this.scene, this.state]);
    this.remark.replaceChildren();
    this.load(scene, {});
  }

  surface() { this.load(...this.outer.pop()); }
};
