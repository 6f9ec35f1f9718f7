// Search in a scene that asks for it: "/" opens a field; what says the text typed is pinned, one after the other, by Enter.
const Searching = Base => class extends Base {
  seek() {
    this.field ??= this.asked();
    this.tools.prepend(this.field);
    this.field.firstChild.focus();
    this.field.firstChild.select();
  }

  asked() {
    const field = make("input", {type: "search", "aria-label": "search", placeholder: "search", size: 12, spellcheck: "false", autocomplete: "off"});
    const found = make("span", {class: "found", role: "status"});
    field.addEventListener("input", () => { this.at = -1; found.textContent = field.value ? String(this.hits(field.value).length) : ""; });
    field.addEventListener("keydown", e => {
      e.stopPropagation();
      if (e.key === "Escape") { this.field.remove(); this.stage.focus(); }
      if (e.key !== "Enter") return;
      const hits = this.hits(field.value);
      this.at = ((this.at ?? -1) + (e.shiftKey ? hits.length - 1 : 1)) % Math.max(hits.length, 1);
      found.textContent = hits.length ? `${this.at + 1} / ${hits.length}` : "none";
      if (!hits.length) return;
      Object.assign(this, {pinned: hits[this.at], spot: hits[this.at], hover: null});
      this.render();
      this.follow(this.shapes.get(hits[this.at]));
    });
    return make("span", {class: "search"}, field, found);
  }

  hits(text) {  // in the order of the arrow keys
    const said = text.trim().toLowerCase(), ids = this.scene.paths.flat().flatMap(row => row.split(" "));
    const of = id => { const {family, args} = this.links.get(id); return this.shapes.get(id).textContent + " " + fill(spoken(family.s, []), args); };
    return said ? ids.filter(id => this.links.has(id) && of(id).toLowerCase().includes(said)) : [];
  }
};
