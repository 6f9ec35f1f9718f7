// Numbers fly: what is read travels to who reads, and what is owed travels back along the same line; then it counts. Which letters
// send to which a scene says once a side (`flows`), or a frame which shapes to which (`f`), and a number that opens is sent what it
// was made of. Any key ends it at once.
const TRAVEL = 480, APART = 60, COUNT = 160, MOST = 900, BEND = 24, EASE = "cubic-bezier(.4,0,.2,1)";
const Flying = Base => class extends Base {
  flights = []; layer = null;

  land() { for (const flight of this.flights.splice(0)) flight.cancel(); this.layer?.remove(); }

  routes() {  // pairs of shapes, from and to: many to one, or one to many
    const {last, sides, scene, links, shapes} = this, all = ids => ids.split(" ").filter(id => shapes.has(id) && this.seen(shapes.get(id)));
    const pairs = (some, into) => some.length === 1 || into.length === 1 ? some.flatMap(a => into.map(b => [a, b])) : [];
    if (last) { const {read, opened} = this.lights, into = all(opened).slice(-1); return pairs(all(read).filter(id => id !== into[0]), into); }
    const {f} = scene.frames[this.frame];
    if (f && !this.pinned) return f.split(" ").map(pair => pair.split(">")).filter(pair => all(pair.join(" ")).length === 2);
    const link = links.get(this.pinned ?? scene.frames[this.frame].l), lit = link ? all(spoken(link.lights, sides)) : [];
    const of = letter => lit.filter(id => id.replace(/\d+$/, "") === letter && !shapes.get(id).matches(".virtual:not(.grad)"));  // a copy is read where it is stored
    return (scene.flows?.[sides[0] ?? ""] ?? []).flatMap(([from, to]) => pairs(of(from), of(to)));
  }

  fly() {
    this.land();
    const {svg, shapes} = this, routes = this.routes(), layer = this.layer = document.createElementNS(svg.namespaceURI, "g"), m = svg.getScreenCTM();
    if (!routes.length || routes.length > 64 || still.matches || !m?.a) return;
    svg.append(layer);
    const apart = Math.min(APART, (MOST - TRAVEL - COUNT) / routes.length), arrivals = new Map();
    const begin = (shape, frames, timing) => this.flights.push(shape.animate(frames, {easing: EASE, fill: "backwards", ...timing}));
    routes.forEach(([from, to], n) => {
      const [here, there] = [from, to].map(id => shapes.get(id)), [at, end] = [here, there].map(shape => shape.getBoundingClientRect());
      const ghost = here.cloneNode(true), wrap = layer.cloneNode(), {a, b, c, d, e, f} = m.inverse().multiply(here.getScreenCTM()), delay = n * apart;
      for (const one of [ghost, ...ghost.querySelectorAll("[id]")]) one.removeAttribute("id");
      ghost.setAttribute("transform", `matrix(${a},${b},${c},${d},${e},${f})`);
      wrap.append(ghost); layer.append(wrap);
      const x = (end.x - at.x + (end.width - at.width) / 2) / m.a, y = (end.y - at.y + (end.height - at.height) / 2) / m.a;
      const way = (part, up) => `translate(${part * x}px,${part * y - up}px)`;
      begin(wrap, [{transform: way(0, 0)}, {transform: way(.5, BEND), offset: .5}, {opacity: 1, offset: .8}, {transform: way(1, 0), opacity: 0}], {duration: TRAVEL, delay, fill: "both"});
      arrivals.set(there, delay + TRAVEL);
    });
    for (const [there, delay] of arrivals) for (const number of there.matches("text") ? [there] : there.querySelectorAll("text:not(.address)"))
      begin(number, [{opacity: 0}, {opacity: 1}], {duration: COUNT, delay});
    Promise.all(this.flights.map(flight => flight.finished)).then(() => this.land(), () => {});
  }
};
