// Where in a page figures and widgets' models find each other, by a key, whichever comes first; and whether Python answers:
// with a gesture it is asked, one question at a time, and what has no answer after a while is said.
const HUB = globalThis[Symbol.for("rustyflow")] ??= {models: new Map(), hosts: new Map(), asked: new Map(), busy: new Set(), met: false,
  join(key, model) { this.met = true; this.models.set(key, model); this.each(key, host => host.bind(model)); },
  leave(key, why) { this.heard(key); this.models.delete(key); this.each(key, host => host.part(why)); },
  each(key, act) { for (const host of this.hosts.get(key) ?? []) act(host); },
  ask(key) {
    if (!this.models.has(key) || this.asked.has(key)) return;
    this.asked.set(key, setTimeout(() => { this.busy.add(key); this.each(key, host => host.say()); }, 1500));
    this.models.get(key).send({ping: 1});
  },
  heard(key) {
    clearTimeout(this.asked.get(key));
    this.asked.delete(key);
    if (this.busy.delete(key)) this.each(key, host => host.say());
  }};
