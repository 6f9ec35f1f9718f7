// Search in a scene that asks for it: "/" opens a field; what says the text typed is pinned, one after the other, by Enter.
const Searching = Base => class extends Base {
  seek() {
    const field = make("input", {type: "search", "aria-label": "search"}), found = make("span.count.found", {role: "status"});
    let at = -1;
    on(field, "input", () => { at = -1; });
    on(field, "keydown", e => {
      e.stopPropagation();
      if (e.key === "Escape") { this.sought.remove(); this.stage.focus(); }
      if (e.key !== "Enter") return;
      const hits = this.hits(field.value), id = hits[at = (at + 1) % hits.length];
      found.textContent = id ? `${at + 1} / ${hits.length}` : "none";
      if (!id) return;
      this.pinned = null; this.pin(id); this.follow(this.shapes.get(id));
    });
    this.sought?.remove();
    this.tools.prepend(this.sought = make("span.search", {}, field, found));
    field.focus();
  }

  hits(text) {  // in the order of the arrow keys
    const {links, shapes} = this, says = id => shapes.get(id).textContent + fill(spoken(links.get(id).family.s, []), links.get(id).args);
    text = text.trim().toLowerCase();
    return this.scene.paths.flat().flatMap(row => row.split(" ")).filter(id => text && links.has(id) && says(id).toLowerCase().includes(text));
  }
};
