// Numbers fly: what is read travels to who reads, and what is owed travels back along the same line; then it counts. Which letters
// send to which a scene says once a side (`flows`), a frame which shapes to which (`f`), and a number that opens is sent what it was made of. Any key ends it at once.
const TRAVEL = 480, APART = 60, COUNT = 160, MOST = 8, BEND = 24, EASE = "cubic-bezier(.4,0,.2,1)";
const Flying = Base => class extends Base {
  flights = [];

  land() { for (const flight of this.flights.splice(0)) flight.cancel(); }

  routes() {  // pairs of shapes: from, to
    const shown = ids => ids.filter(id => this.shapes.has(id) && this.seen(this.shapes.get(id)));
    if (this.last) { const {read, opened} = this.lights, to = shown(opened.split(" ")).at(-1); return to ? shown(read.split(" ")).filter(id => id !== to).map(id => [id, to]) : []; }
    const {f} = this.scene.frames[this.frame];
    if (f && !this.pinned) return f.split(" ").map(pair => pair.split(">")).filter(pair => shown(pair).length === 2);
    const link = this.links.get(this.pinned ?? this.scene.frames[this.frame].l), lit = link ? shown(spoken(link.lights, this.sides).split(" ")) : [];
    const of = letter => lit.filter(id => id.replace(/\d+$/, "") === letter), flows = this.scene.flows ?? {};
    return (flows[this.sides[0] ?? ""] ?? []).flatMap(([from, to]) => {
      const some = of(from), into = of(to);
      return some.length === 1 || into.length === 1 ? some.flatMap(a => into.map(b => [a, b])) : [];
    });
  }

  fly() {
    this.land();
    const routes = this.routes(), layer = document.createElementNS(this.svg.namespaceURI, "g"), k = this.svg.getScreenCTM()?.a;
    if (!routes.length || routes.length > 64 || still.matches || !k) return;
    layer.setAttribute("class", "flight");
    this.svg.append(layer);
    const apart = Math.min(APART, (MOST - 1) * APART / Math.max(1, routes.length - 1)), reads = new Map();
    const begin = (shape, frames, timing) => {
      const flight = shape.animate(frames, {easing: EASE, fill: "backwards", ...timing});
      this.flights.push(flight);
      return flight;
    };
    routes.forEach(([from, to], n) => {
      const here = this.shapes.get(from), there = this.shapes.get(to), ghost = here.cloneNode(true), wrap = layer.cloneNode(), delay = Math.min(n * apart, 900 - TRAVEL - COUNT);
      const at = here.getBoundingClientRect(), end = there.getBoundingClientRect(), m = this.svg.getScreenCTM().inverse().multiply(here.getScreenCTM());
      for (const one of [ghost, ...ghost.querySelectorAll("[id]")]) one.removeAttribute("id");
      ghost.setAttribute("transform", `matrix(${m.a},${m.b},${m.c},${m.d},${m.e},${m.f})`);
      wrap.append(ghost); layer.append(wrap);
      const x = (end.x + end.width / 2 - at.x - at.width / 2) / k, y = (end.y + end.height / 2 - at.y - at.height / 2) / k;
      const way = (x, y) => `translate(${x}px,${y}px)`;
      begin(wrap, [{transform: way(0, 0)}, {transform: way(x / 2, y / 2 - BEND), offset: .5}, {transform: way(x, y), opacity: 1, offset: .95}, {transform: way(x, y), opacity: 0}], {duration: TRAVEL, delay, fill: "both"});
      reads.set(there, delay + TRAVEL);
    });
    for (const [there, delay] of reads) for (const number of there.matches("text") ? [there] : there.querySelectorAll("text:not(.address)"))
      begin(number, [{opacity: 0}, {opacity: 1}], {duration: COUNT, delay});
    Promise.all(this.flights.map(flight => flight.finished)).then(() => { this.flights = []; }, () => {}).finally(() => layer.remove());
  }
};
